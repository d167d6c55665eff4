package io.distlock.samples.flashsale.backstage;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A ZooKeeper that stands alone, from its artifact, in a JVM of its own. */
final class ZooKeeperServer {

    private static final String MAIN = "org.apache.zookeeper.server.ZooKeeperServerMain";
    private static final String LAUNCHER = "org.springframework.boot.loader.launch.PropertiesLauncher";

    private ZooKeeperServer() {}

    static LockServer start(Path directory) throws IOException {
        int port = Ports.free();
        Path configuration = Files.write(
                directory.resolve("zoo.cfg"),
                List.of(
                        "clientPortAddress=127.0.0.1",
                        "clientPort=" + port,
                        "dataDir=" + directory.resolve("data"),
                        "admin.enableServer=false"));
        Path logging = Files.writeString(directory.resolve("logback.xml"), """
                <configuration>
                  <appender name="out" class="ch.qos.logback.core.ConsoleAppender">
                    <encoder><pattern>%d %-5level %logger{0} %msg%n</pattern></encoder>
                  </appender>
                  <root level="WARN"><appender-ref ref="out"/></root>
                </configuration>
                """);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-Dlogback.configurationFile=" + logging,
                "-Dzookeeper.jmx.log4j.disable=true",
                "-cp",
                classPath()));
        command.addAll(mainClass());
        command.add(configuration.toString());
        return LockServer.run(command, port, directory);
    }

    /** Of this process, seen from another directory. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** In Spring Boot's jar, the server is in a jar of its own, which only Boot's loader can read. */
    private static List<String> mainClass() {
        boolean inBootsJar = ZooKeeperServer.class.getResource('/' + LAUNCHER.replace('.', '/') + ".class") != null;
        return inBootsJar ? List.of("-Dloader.main=" + MAIN, LAUNCHER) : List.of(MAIN);
    }
}
