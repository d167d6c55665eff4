package io.distlock.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** That HTTP clients get these answers is tested in the sample. */
class LockWebAutoConfigurationTests {

    private static final AutoConfigurations WEB = AutoConfigurations.of(LockWebAutoConfiguration.class);
    private static final String ON = "distributed-lock.web.problem-details=true";

    @Test
    void adviceIsThereIfAskedFor() {
        new ApplicationContextRunner()
                .withConfiguration(WEB)
                .withPropertyValues(ON)
                .run(context -> assertThat(context).hasSingleBean(LockExceptionAdvice.class));
    }

    @Test
    void otherwiseThereIsNone() {
        new ApplicationContextRunner()
                .withConfiguration(WEB)
                .run(context -> assertThat(context).doesNotHaveBean(LockExceptionAdvice.class));
    }
}
