package io.distlock.http;

import io.distlock.LockMode;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application that receives requests with locks, on a real server. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Warehouse {

    @Bean
    Written written() {
        return new Written();
    }

    @Bean
    Stock stock(Written written) {
        return new Stock(written);
    }

    @Bean
    Everything everything() {
        return new Everything();
    }

    static ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(Warehouse.class)
                .web(WebApplicationType.SERVLET)
                .properties(
                        "server.port=0", "spring.main.banner-mode=off", "spring.reactor.netty.shutdown-quiet-period=0s")
                .run(properties);
    }

    static int port(ConfigurableApplicationContext context) {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    /** What was written. */
    static final class Written {

        private final List<String> items = new CopyOnWriteArrayList<>();
        private volatile Runnable between = () -> {};

        /** In order. */
        List<String> items() {
            return items;
        }

        /** What happens between two writes of one request. */
        void between(Runnable event) {
            between = event;
        }

        void callBetween() {
            between.run();
        }
    }

    /** An application's answer to whatever nobody else answers. */
    @ControllerAdvice
    static class Everything {

        @ExceptionHandler
        ResponseEntity<String> failed(Exception any) {
            return ResponseEntity.internalServerError().body("an advice of the application: " + any);
        }
    }

    /** A service whose methods require locks. */
    static class Stock {

        private final Written written;

        Stock(Written written) {
            this.written = written;
        }

        @RequireLock(name = "stock", key = "#item")
        public void write(String item) {
            written.items().add(item);
        }
    }

    @RestController
    static class Shelves {

        private final Stock stock;
        private final Written written;

        Shelves(Stock stock, Written written) {
            this.stock = stock;
            this.written = written;
        }

        @PostMapping("/stock/{item}")
        @RequireLock(name = "stock", key = "#item")
        public String write(@PathVariable String item) {
            written.items().add(item);
            return "written";
        }

        @PostMapping("/service/{item}")
        public String writeByService(@PathVariable String item) {
            stock.write(item);
            return "written";
        }

        @GetMapping("/stock/{item}")
        @RequireLock(name = "stock", key = "#p0", mode = LockMode.SHARED)
        public String read(@PathVariable String item) {
            return "read";
        }

        @PostMapping("/number/{item}")
        @RequireLock(name = "stock", key = "#item + 1")
        public String number(@PathVariable long item) {
            return "written";
        }

        @PostMapping("/all")
        @RequireLock(name = "all")
        public String all() {
            return "written";
        }
    }
}
