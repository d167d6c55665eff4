package io.distlock.engine.renewal;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.read.ListAppender;
import io.distlock.HeldLock;
import io.distlock.LockEvent;
import io.distlock.LockLoss;
import io.distlock.engine.EndsInTime;
import io.distlock.engine.ManualEngine;
import io.distlock.test.provider.Fault;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.KeyValuePair;

/** What the log says of locks. */
@EndsInTime
class LossLogTests {

    private final ManualEngine here = new ManualEngine();
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.distlock");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(log);
    }

    @Test
    void aLossIsAWarningWithAllThatIsKnownOfIt() {
        here.client.acquire(here.client.request("orders", "42"));
        here.advanceMillis(15_000);
        here.provider.onRenew(Fault.REPLY_LOST);
        here.advanceMillis(30_000);
        assertThat(log.list).singleElement().satisfies(event -> {
            assertThat(event.getLevel()).isEqualTo(Level.WARN);
            assertThat(event.getFormattedMessage())
                    .contains(
                            "orders:42",
                            "(token 1)",
                            "29698 ms after the last request that the store confirmed: its validity ran out");
            assertThat(event.getKeyValuePairs())
                    .contains(
                            new KeyValuePair("lock", "orders"),
                            new KeyValuePair("key", "42"),
                            new KeyValuePair("token", 1L),
                            new KeyValuePair("sinceRenewalMillis", 29_698L),
                            new KeyValuePair("reason", LockLoss.Reason.EXPIRED))
                    .extracting(pair -> pair.key)
                    .contains("heldMillis");
        });
    }

    @Test
    void theLossOfALockThatIsNotRenewedDoesNotSpeakOfRenewals() {
        here.client.acquire(here.request("a").withRenew(false));
        here.advanceMillis(30_000);
        assertThat(log.list)
                .singleElement()
                .satisfies(event -> assertThat(event.getFormattedMessage()).doesNotContain("renew"));
    }

    @Test
    void aLossIsLoggedInTheTraceOfTheCallThatAsked() {
        MDC.put("traceId", "4bf92f35");
        here.client.acquire(here.request("a").withRenew(false));
        MDC.remove("traceId");
        here.advanceMillis(30_000);
        assertThat(log.list)
                .singleElement()
                .satisfies(event -> assertThat(event.getMDCPropertyMap()).containsEntry("traceId", "4bf92f35"));
        assertThat(MDC.get("traceId")).isNull();
    }

    @Test
    void aLogThatFailsDoesNotKeepALossFromItsHolder() {
        Appender<ILoggingEvent> broken = new UnsynchronizedAppenderBase<>() {

            @Override
            public void doAppend(ILoggingEvent event) {
                throw new IllegalStateException("the disk is full");
            }

            @Override
            protected void append(ILoggingEvent event) {}
        };
        logger.addAppender(broken);
        try {
            HeldLock held = here.client.acquire(here.request("a").withRenew(false));
            List<LockLoss> told = new ArrayList<>();
            held.onLost(told::add);
            here.advanceMillis(30_000);
            assertThat(told).hasSize(1);
            assertThat(here.events(LockEvent.Lost.class)).hasSize(1);
            assertThat(here.isFree("a")).isTrue();
        } finally {
            logger.detachAppender(broken);
        }
    }

    @Test
    void aLockThatComesAndGoesIsNotWorthALine() {
        here.hold("a").release();
        assertThat(log.list).isEmpty();
    }

    @Test
    void closingNamesTheFirstFiveOfTheLocksThatAreStillHeld() {
        for (int lock = 1; lock <= 5; lock++) {
            here.hold("lock-" + lock);
        }
        here.client.close();
        assertThat(log.list.get(0).getFormattedMessage())
                .isEqualTo("The lock client was closed while locks were still held; these count as lost: "
                        + "[lock-1, lock-2, lock-3, lock-4, lock-5]");
    }

    @Test
    void closingCountsTheOthers() {
        for (int lock = 1; lock <= 7; lock++) {
            here.hold("lock-" + lock);
        }
        here.client.close();
        assertThat(log.list.get(0).getFormattedMessage()).endsWith("lock-4, lock-5] and 2 more");
    }
}
