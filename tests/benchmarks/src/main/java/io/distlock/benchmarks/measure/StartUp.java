package io.distlock.benchmarks.measure;

import com.sun.management.OperatingSystemMXBean;
import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.report.Report.Target;
import io.distlock.benchmarks.store.Jvm;
import io.distlock.benchmarks.store.Store;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

/** What the starter adds to the processor time of a JVM in which an application that uses Redis starts. */
final class StartUp implements Measurement {

    private static final Duration SETTLED = Duration.ofMillis(500);

    @Override
    public String name() {
        return "start-up";
    }

    @Override
    public String title() {
        return "Start an application that uses Redis, with the starter and without";
    }

    @Override
    public void run(Store store, RunSize size, Report report) {
        List<Boolean> both = List.of(true, false);
        Rounds<Start> rounds = Rounds.of(size.of(15, 7, 1), both, locks -> start(store, locks));
        report.figure("CPU of a start with locks", rounds.median(true, Start::cpu), "s");
        report.figure("CPU of a start without", rounds.median(false, Start::cpu), "s");
        report.figure(
                "CPU added to a start",
                rounds.median(true, Start::cpu) - rounds.median(false, Start::cpu),
                "s",
                Target.atMost(0.25));
        report.figure(
                "classes added to a start",
                rounds.median(true, Start::classes) - rounds.median(false, Start::classes),
                "");
    }

    /** What a JVM has used until its application has started and has asked Redis something. */
    private record Start(double cpu, double classes) {}

    private static Start start(Store store, boolean locks) {
        List<String> neighbour = store.neighbour();
        List<String> command = new ArrayList<>(Jvm.command());
        command.addAll(List.of(
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                Started.class.getName(),
                neighbour.get(1),
                neighbour.get(2),
                Boolean.toString(locks)));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
                return new Start(Double.parseDouble(out.readLine()), Double.parseDouble(out.readLine()));
            } finally {
                process.destroyForcibly();
                process.onExit().join();
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot start " + String.join(" ", command), failure);
        }
    }

    /** The auto-configurations of all modules with locks. */
    private static String ofLocks() {
        return ImportCandidates.load(AutoConfiguration.class, StartUp.class.getClassLoader()).getCandidates().stream()
                .filter(name -> name.startsWith("io.distlock."))
                .collect(Collectors.joining(","));
    }

    /** The application: {@code Started host port locks}. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Started {

        public static void main(String[] arguments) {
            boolean locks = Boolean.parseBoolean(arguments[2]);
            // Looked up in both kinds of start, as it takes time itself.
            String ofLocks = ofLocks();
            try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Started.class)
                    .properties(Map.of(
                            "spring.data.redis.host",
                            arguments[0],
                            "spring.data.redis.port",
                            arguments[1],
                            "distributed-lock.provider",
                            "redis",
                            "spring.autoconfigure.exclude",
                            locks ? "" : ofLocks,
                            "spring.main.banner-mode",
                            "off",
                            "logging.level.root",
                            "error"))
                    .logStartupInfo(false)
                    .run()) {
                context.getBean(StringRedisTemplate.class).hasKey("nothing");
                // What is done in the background belongs to it.
                Stopwatch.pause(SETTLED);
                var machine = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
                System.out.println(machine.getProcessCpuTime() / 1e9);
                System.out.println(ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount());
                System.out.flush();
            }
        }
    }
}
