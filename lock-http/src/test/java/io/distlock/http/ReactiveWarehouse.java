package io.distlock.http;

import io.distlock.LockMode;
import io.distlock.http.Warehouse.Written;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** {@link Warehouse} in WebFlux, on Netty. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class ReactiveWarehouse {

    @Bean
    NettyReactiveWebServerFactory netty() {
        return new NettyReactiveWebServerFactory();
    }

    @Bean
    Written written() {
        return new Written();
    }

    @Bean
    Stock stock(Written written) {
        return new Stock(written);
    }

    @Bean
    Warehouse.Everything everything() {
        return new Warehouse.Everything();
    }

    @Bean
    RouterFunction<ServerResponse> route(Stock stock) {
        return RouterFunctions.route()
                .POST(
                        "/function/{item}",
                        request -> stock.write(request.pathVariable("item"))
                                .then(ServerResponse.ok().bodyValue("written")))
                .build();
    }

    static ConfigurableApplicationContext start(Class<?> more, String... properties) {
        return new SpringApplicationBuilder(ReactiveWarehouse.class, more)
                .web(WebApplicationType.REACTIVE)
                .properties(
                        "server.port=0", "spring.main.banner-mode=off", "spring.reactor.netty.shutdown-quiet-period=0s")
                .run(properties);
    }

    /** A service whose methods require locks. */
    static class Stock {

        private final Written written;

        Stock(Written written) {
            this.written = written;
        }

        @RequireLock(name = "stock", key = "#item")
        public Mono<Void> write(String item) {
            written.items().add(item);
            return Mono.empty();
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
        public Mono<String> write(@PathVariable String item) {
            written.items().add(item);
            return Mono.just("written");
        }

        @PostMapping("/service/{item}")
        public Mono<String> writeByService(@PathVariable String item) {
            return stock.write(item).thenReturn("written");
        }

        @GetMapping("/stock/{item}")
        @RequireLock(name = "stock", key = "#p0", mode = LockMode.SHARED)
        public Flux<String> read(@PathVariable String item) {
            return Flux.just("re", "ad");
        }

        @PostMapping("/number/{item}")
        @RequireLock(name = "stock", key = "#item + 1")
        public Mono<String> number(@PathVariable long item) {
            return Mono.just("written");
        }

        @PostMapping("/all")
        @RequireLock(name = "all")
        public Mono<String> all() {
            return Mono.just("written");
        }

        /** Two subscriptions, each of which belongs to this request. */
        @PostMapping("/twice/{item}")
        public Mono<String> twice(@PathVariable String item) {
            Mono<Void> write = stock.write(item);
            return write.then(Mono.fromRunnable(written::callBetween))
                    .then(write)
                    .thenReturn("written");
        }
    }
}
