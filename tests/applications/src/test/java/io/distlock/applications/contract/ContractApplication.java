package io.distlock.applications.contract;

import io.distlock.applications.Gate;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

/** Each attribute of the annotation once. */
@SpringBootApplication
class ContractApplication {

    @Bean
    Gate gate() {
        return new Gate();
    }
}
