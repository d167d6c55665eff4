package io.distlock.applications.stock;

import io.distlock.applications.Gate;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** WebFlux with locked publishers. */
@SpringBootApplication
class StockApplication {

    @Bean
    Gate gate() {
        return new Gate();
    }
}
