package io.distlock.spring.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockClient;
import io.distlock.engine.LockClientBuilder;
import io.distlock.inmemory.InMemoryLockProvider;
import io.distlock.spi.Ticker;
import io.distlock.spring.LockClients;
import io.distlock.spring.endpoint.LocksReport.RecentLosses;
import io.distlock.support.LockRuntime;
import io.distlock.test.provider.FaultyLockProvider;
import io.distlock.test.time.ManualScheduler;
import io.distlock.test.time.ManualTicker;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.Show;

class PagesOfSeveralProvidersTests {

    private final ManualTicker time = new ManualTicker();
    private Duration perReading = Duration.ZERO;

    private final Ticker ticker = new Ticker() {
        @Override
        public long nanos() {
            time.advance(perReading);
            return time.nanos();
        }

        @Override
        public long wallMillis() {
            return time.wallMillis();
        }
    };

    private final LockRuntime runtime = new LockRuntime(ticker, new ManualScheduler(new ManualTicker()));
    private final LockClient one = client("one");
    private final LockClient two = client("two");
    private final LocksEndpoint endpoint = new LocksEndpoint(
            new LockClients(List.of(one, two), "one"),
            new RecentLosses(ticker),
            event -> {},
            new LocksEndpoint.Properties(Show.ALWAYS, Set.of(), false),
            List.of());

    private LockClient client(String provider) {
        return LockClientBuilder.of(new FaultyLockProvider(new InMemoryLockProvider(runtime), provider), runtime)
                .callbackExecutor(Runnable::run)
                .build();
    }

    private String nameOnPage(int page) {
        LocksDescriptor found = (LocksDescriptor) endpoint.locks(null, null, null, null, page, 1);
        return found.held().items().get(0).name();
    }

    /** The client that is asked last says that its lock has been held for longer. */
    @Test
    void theOrderIsTheSameOnEachPageHoweverLongTheClientsTakeToAnswer() {
        one.acquire(one.request("a"));
        two.acquire(two.request("b"));
        time.advance(Duration.ofMillis(1));
        one.acquire(one.request("c"));
        two.acquire(two.request("d"));
        List<String> names = List.of(nameOnPage(0), nameOnPage(1));
        perReading = Duration.ofMillis(2);
        assertThat(List.of(names.get(0), names.get(1), nameOnPage(2), nameOnPage(3)))
                .containsExactlyInAnyOrder("a", "b", "c", "d");
    }
}
