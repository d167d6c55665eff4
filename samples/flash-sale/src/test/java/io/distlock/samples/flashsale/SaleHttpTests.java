package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.samples.flashsale.backstage.Backstage;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.http.ProblemDetail;
import org.springframework.test.context.DynamicPropertyRegistrar;
import org.springframework.test.web.servlet.client.RestTestClient;

@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "flash-sale.instance=here",
            "flash-sale.think-time=10ms",
            "flash-sale.runs-database=true",
            "distributed-lock.redis.call-timeout=10s",
            "distributed-lock.redis.connect-timeout=10s"
        })
@AutoConfigureRestTestClient
class SaleHttpTests {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    @Autowired
    RestTestClient http;

    @Test
    void withTheLockExactlyTheStockIsSold() {
        start("workers=12&lock=true");

        SaleView sale = untilItIsOver();
        assertThat(sale.sold()).isEqualTo(100);
        assertThat(sale.oversold()).isZero();
        assertThat(sale.lostUpdates()).isZero();
        assertThat(sale.here().lock().acquired()).isGreaterThanOrEqualTo(100);
        assertThat(sale.here().lock().holdMillis().p50()).isGreaterThanOrEqualTo(10);
        assertThat(sale.here().trouble()).isEmpty();
    }

    @Test
    void withoutTheLockTheSameLoadSellsWhatIsNotThere() {
        start("workers=12&lock=false");

        SaleView sale = untilItIsOver();
        assertThat(sale.oversold()).isPositive();
        assertThat(sale.lostUpdates()).isPositive();
        assertThat(sale.here().lock().acquired()).isZero();
        assertThat(sale.here().trouble()).isEmpty();
    }

    @Test
    void aSaleThatIsOnShowsWhoHasTheLock() {
        // Another one if it was over before this thread came to look.
        await().atMost(PATIENCE).untilAsserted(() -> {
            start("workers=2&lock=true");
            assertThat(look().holder()).hasValueSatisfying(holder -> {
                assertThat(holder.owner()).isNotBlank();
                assertThat(holder.token())
                        .hasValueSatisfying(token -> assertThat(token).isPositive());
                assertThat(holder.remainingMillis())
                        .hasValueSatisfying(left -> assertThat(left).isPositive());
                assertThat(holder.here()).isTrue();
            });
        });
    }

    @Test
    void aNewSaleTakesThePlaceOfTheOneBefore() {
        SaleView first = start("workers=1&lock=true");
        SaleView second = start("workers=1&lock=true");

        assertThat(second.number()).isGreaterThan(first.number());
        assertThat(look().number()).isEqualTo(second.number());
        assertThat(untilItIsOver().sold()).isEqualTo(100);
    }

    @Test
    void theJsonIsAsDocumented() {
        http.post()
                .uri("/api/sale?workers=1&lock=false")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.keys()")
                .value(keys -> assertThat(keys)
                        .asInstanceOf(InstanceOfAssertFactories.ITERABLE)
                        .containsExactlyInAnyOrder(
                                "number",
                                "withLock",
                                "fenced",
                                "initialStock",
                                "stock",
                                "sold",
                                "oversold",
                                "lostUpdates",
                                "soldBy",
                                "holder",
                                "here"));
    }

    @ParameterizedTest
    @CsvSource({
        "workers=0, 'workers must be 1 to 64, not 0'",
        "workers=65, 'workers must be 1 to 64, not 65'",
        "workers=many, 'workers must be a whole number, not many'",
        "lock=perhaps, 'lock must be true or false, not perhaps'"
    })
    void aBadValueIsRefusedWithTheRule(String query, String rule) {
        http.post()
                .uri("/api/sale?" + query)
                .exchange()
                .expectStatus()
                .isBadRequest()
                .expectBody()
                .jsonPath("$.detail")
                .isEqualTo(rule);
    }

    @Test
    void anInstanceThatRunsTheDatabaseOrSellsNothingIsNotFrozen() {
        start("workers=1&lock=false");
        assertThat(whyNotFrozen()).startsWith("no worker of this instance is selling under the lock");
        // Another one if it was over before this thread came to ask.
        await().atMost(PATIENCE).untilAsserted(() -> {
            start("workers=1&lock=true");
            assertThat(whyNotFrozen()).startsWith("this instance also runs the database");
            assertThat(look().here().cannotFreeze()).contains(whyNotFrozen());
        });
    }

    private String whyNotFrozen() {
        return http.post()
                .uri("/api/sale/freeze")
                .exchange()
                .expectStatus()
                .isEqualTo(409)
                .expectBody(ProblemDetail.class)
                .returnResult()
                .getResponseBody()
                .getDetail();
    }

    @ParameterizedTest
    @CsvSource({"/, Flash sale", "/app.js, api/sale", "/style.css, --page"})
    void servesThePage(String path, String content) {
        String text = http.get()
                .uri(path)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .returnResult()
                .getResponseBody();

        assertThat(text).contains(content);
    }

    private SaleView start(String query) {
        return http.post()
                .uri("/api/sale?" + query)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(SaleView.class)
                .returnResult()
                .getResponseBody();
    }

    private SaleView look() {
        return http.get()
                .uri("/api/sale")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(SaleView.class)
                .returnResult()
                .getResponseBody();
    }

    private SaleView untilItIsOver() {
        return await().atMost(PATIENCE).until(this::look, sale -> sale.here().workers() == 0);
    }

    @TestConfiguration
    static class Servers {

        @Bean
        Backstage backstage() throws IOException {
            return Backstage.open(Files.createTempDirectory("flash-sale"));
        }

        @Bean
        DynamicPropertyRegistrar settings(Backstage backstage) {
            return registry -> backstage.settings().forEach((name, value) -> registry.add(name, () -> value));
        }
    }
}
