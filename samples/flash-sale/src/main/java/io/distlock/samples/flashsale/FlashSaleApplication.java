package io.distlock.samples.flashsale;

import io.distlock.samples.flashsale.backstage.Backstage;
import io.distlock.samples.flashsale.backstage.BackstageException;
import io.distlock.samples.flashsale.backstage.LockStore;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.DefaultApplicationArguments;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.system.ApplicationHome;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Starts an instance of the shop: the first one without arguments, or with {@code --redlock} for five Redis servers that
 * keep the lock by majority, {@code --etcd} for an etcd, {@code --zookeeper} for a ZooKeeper, or {@code --jdbc} for the shop's own
 * database; a further one with {@code --join}. A port of your own choice is {@code --server.port=9090}, a PostgreSQL or MariaDB
 * of your own {@code --database=jdbc:postgresql://localhost/shop?user=me}.
 */
@SpringBootApplication
@EnableConfigurationProperties(FlashSaleSettings.class)
public class FlashSaleApplication {

    private static final Logger log = LoggerFactory.getLogger(FlashSaleApplication.class);
    private static final String MEETING_PLACE = "flash-sale";

    public static void main(String[] args) {
        ApplicationArguments arguments = new DefaultApplicationArguments(args);
        try {
            Path directory = directory();
            Backstage backstage = backstage(arguments, directory);
            // After the context is closed, so that its locks are released and its connections returned by then.
            SpringApplication.getShutdownHandlers().add(backstage::close);
            start(backstage, args);
            backstage.ended().thenRun(FlashSaleApplication::end);
        } catch (BackstageException e) {
            System.err.println(e.getMessage());
            System.exit(1);
        }
    }

    private static Backstage backstage(ApplicationArguments arguments, Path directory) {
        if (arguments.containsOption("join")) {
            return Backstage.join(directory);
        }
        return Backstage.open(directory, LockStore.askedFor(arguments.getSourceArgs()), database(arguments));
    }

    private static Optional<String> database(ApplicationArguments arguments) {
        return Optional.ofNullable(arguments.getOptionValues("database"))
                .flatMap(urls -> urls.stream().findFirst());
    }

    static ConfigurableApplicationContext start(Backstage backstage, String... args) {
        SpringApplication application = new SpringApplication(FlashSaleApplication.class);
        backstage.store().profile().ifPresent(application::setAdditionalProfiles);
        application.addInitializers(context -> lead(context.getEnvironment(), backstage));
        ConfigurableApplicationContext context = application.run(args);
        log.info(
                "The shop is open at http://localhost:{} (Ctrl+C closes it)",
                context.getEnvironment().getProperty("local.server.port"));
        return context;
    }

    private static void end() {
        log.info("The first instance has ended, and its servers with it: so does this one");
        System.exit(0);
    }

    private static void lead(ConfigurableEnvironment environment, Backstage backstage) {
        Map<String, Object> settings = new HashMap<>(backstage.settings());
        settings.put("flash-sale.runs-database", backstage.runsDatabase());
        if (!environment.containsProperty("server.port")) {
            settings.put("server.port", Backstage.freeHttpPort());
        }
        environment.getPropertySources().addFirst(new MapPropertySource("backstage", settings));
    }

    /** Where the instances meet: in the build's own directory, unless told otherwise. */
    private static Path directory() {
        return Optional.ofNullable(System.getProperty("flash-sale.directory"))
                .map(Path::of)
                .orElseGet(FlashSaleApplication::besideTheJar)
                .toAbsolutePath();
    }

    private static Path besideTheJar() {
        Path home = new ApplicationHome(FlashSaleApplication.class).getDir().toPath();
        return home.endsWith("classes") ? home.resolveSibling(MEETING_PLACE) : home.resolve(MEETING_PLACE);
    }
}
