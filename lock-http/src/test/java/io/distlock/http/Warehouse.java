package io.distlock.http;

import io.distlock.LockMode;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** An application that receives requests with locks, on a real server. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Warehouse {

    @Bean
    Stock stock() {
        return new Stock();
    }

    static ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(Warehouse.class)
                .web(WebApplicationType.SERVLET)
                .properties("server.port=0", "spring.main.banner-mode=off")
                .run(properties);
    }

    static int port(ConfigurableApplicationContext context) {
        return ((ServletWebServerApplicationContext) context).getWebServer().getPort();
    }

    /** A service whose methods require locks. */
    static class Stock {

        private final List<String> written = new CopyOnWriteArrayList<>();

        public List<String> written() {
            return written;
        }

        @RequireLock(name = "stock", key = "#item")
        public void write(String item) {
            written.add(item);
        }
    }

    @RestController
    static class Shelves {

        private final Stock stock;

        Shelves(Stock stock) {
            this.stock = stock;
        }

        @PostMapping("/stock/{item}")
        @RequireLock(name = "stock", key = "#item")
        public String write(@PathVariable String item) {
            stock.written().add(item);
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
