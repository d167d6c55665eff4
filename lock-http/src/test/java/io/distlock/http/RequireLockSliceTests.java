package io.distlock.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.http.Warehouse.Shelves;
import io.distlock.http.Warehouse.Written;
import io.distlock.spring.autoconfigure.LockAutoConfiguration;
import io.distlock.test.application.LockTester;
import io.distlock.test.spring.InMemoryLocks;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** A slice of an application, as in the page about testing: its controllers are checked, without a lock store. */
@WebMvcTest
@InMemoryLocks
@ImportAutoConfiguration({AopAutoConfiguration.class, LockAutoConfiguration.class, LockHttpServerAutoConfiguration.class
})
@Import({Warehouse.Stock.class, Shelves.class, Written.class})
class RequireLockSliceTests {

    @Autowired
    MockMvcTester http;

    @Autowired
    LockTester locks;

    @Autowired
    Written written;

    @Test
    void aHolderIsServedAndNobodyElse() {
        HeldLock sender = locks.holdElsewhere("stock", "7");
        assertThat(put(sender)).hasStatusOk();
        assertThat(http.post().uri("/stock/7")).hasStatus(428);
        locks.holdElsewhere("stock", "8");
        assertThat(http.post().uri("/stock/8").header("Lock-Sequencer", header(sender)))
                .hasStatus(400);
        assertThat(written.items()).containsExactly("7");
    }

    @Test
    void aStaleHolderIsRefused() {
        HeldLock stale = locks.holdElsewhere("stock", "9");
        stale.release();
        assertThat(http.post().uri("/stock/9").header("Lock-Sequencer", header(stale)))
                .hasStatus(412);
    }

    @Test
    void aSilentStoreIsUnavailable() {
        HeldLock sender = locks.holdElsewhere("stock", "10");
        locks.failStore();
        assertThat(http.post().uri("/stock/10").header("Lock-Sequencer", header(sender)))
                .hasStatus(503)
                .hasHeader("Retry-After", "1");
    }

    private MockMvcTester.MockMvcRequestBuilder put(HeldLock sender) {
        return http.post().uri("/stock/7").header("Lock-Sequencer", header(sender));
    }

    private static String header(HeldLock sender) {
        return sender.sequencers().get(0).text();
    }

    @SpringBootConfiguration
    static class Application {}
}
