package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import io.distlock.leader.LeaderElection;
import io.distlock.spring.leader.LeaderElections;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The page of the locks in a browser. Each test looks at the locks of a name of its own. */
@OperatedShop
class LocksPageTests {

    private static Chromium browser;

    @LocalServerPort
    int port;

    @Autowired
    LockClient client;

    @Autowired
    StringRedisTemplate redis;

    @Autowired
    LeaderElections elections;

    @BeforeAll
    static void startBrowser() {
        browser = Chromium.start();
    }

    @AfterAll
    static void endBrowser() {
        if (browser != null) {
            browser.close();
        }
    }

    private final String thread = Thread.currentThread().getName();
    private final List<HeldLock> held = new ArrayList<>();
    private final List<Future<HeldLock>> waiting = new ArrayList<>();

    @BeforeEach
    void asOnADesk() {
        browser.size(1280, 800);
    }

    @AfterEach
    void leaveNoLock() {
        waiting.forEach(call -> call.cancel(true));
        held.forEach(HeldLock::release);
    }

    @AfterEach
    void theConsoleIsSilent() {
        assertThat(browser.console()).isEmpty();
    }

    @Test
    void showsALockForAsLongAsItIsHeldAndByWhom() {
        HeldLock lock = hold("parcels", "42");
        openLocks("parcels");
        eventually(() -> assertThat(browser.text("held"))
                .contains("parcels 42", lock.fencingToken().toString())
                .contains("flash-sale@here~", thread));
        assertThat(browser.text("waiting")).contains("Nobody waits");
        lock.release();
        eventually(() -> assertThat(browser.text("held")).contains("holds no lock"));
    }

    @Test
    void showsACallForAsLongAsItWaits() {
        hold("letters", "7");
        openLocks("letters");
        Future<HeldLock> call = waitFor("letters", "7");
        eventually(() -> assertThat(browser.text("waiting")).contains("letters 7", "this instance, " + thread));
        call.cancel(true);
        eventually(() -> assertThat(browser.text("waiting")).contains("Nobody waits"));
    }

    @Test
    void tellsWhichOtherInstanceACallWaitsFor() {
        redis.opsForValue().set("lock:{stamps:7}", "shop@elsewhere~01-1:17", Duration.ofMinutes(10));
        waitFor("stamps", "7");
        openLocks("stamps");
        eventually(() -> assertThat(browser.text("waiting")).contains("stamps 7", "shop@elsewhere"));
    }

    @Test
    void showsALossAndWhy() {
        HeldLock lost = hold("coins", "1");
        client.forceRelease(lost.keys().get(0), lost.fencingToken());
        openLocks("coins");
        eventually(() -> assertThat(browser.text("losses"))
                .contains("coins 1", lost.fencingToken().toString(), "NOT_OWNER"));
        assertThat(browser.text("verdict")).contains("was lost in the last hour", "coins 1");
    }

    @Test
    void showsTenOfManyUntilAskedForMore() {
        hold("queue", "1");
        IntStream.range(0, 12).forEach(each -> waitFor("queue", "1"));
        openLocks("queue");
        eventually(() -> assertThat(rows("waiting")).isEqualTo(10));
        browser.run("document.querySelector('#waiting ~ .more').click()");
        eventually(() -> assertThat(rows("waiting")).isEqualTo(12));
    }

    @Test
    void showsWhichPermitACallHas() {
        for (int holder = 0; holder < 2; holder++) {
            held.add(client.acquire(client.request("imports", "1").withPermits(2)));
        }
        openLocks("imports");
        eventually(() -> assertThat(browser.text("held")).contains("permit 1", "permit 2"));
    }

    @Test
    void showsWhoLeadsAndLetsThisInstanceResign() {
        LeaderElection election = elections.get(NightReport.ROLE);
        await().atMost(Duration.ofMinutes(1)).until(election::isLeader);
        String term = election.term().orElseThrow().token().toString();
        openLocks("");
        eventually(() -> assertThat(browser.text("leaders"))
                .contains("night-report", "this instance", "flash-sale@here", term, "Resign"));

        browser.run("document.querySelector('#leaders button').click()");

        eventually(() -> assertThat(browser.text("leaders")).contains("stands for election"));
        await().atMost(Duration.ofMinutes(1)).until(election::isLeader);
        assertThat(election.term().orElseThrow().token().toString()).isNotEqualTo(term);
    }

    @Test
    void aRoleThatAnotherInstanceLeadsIsNoCallThatWaitsForLong() {
        LeaderElection election = elections.get(NightReport.ROLE);
        election.withdraw().toCompletableFuture().join();
        redis.opsForValue().set("lock:{leader:night-report}", "shop@elsewhere~01-1:17", Duration.ofMinutes(10));
        election.stand();
        try {
            openLocks("leader");
            eventually(() -> assertThat(browser.text("leaders")).contains("shop@elsewhere", "stands for election"));
            eventually(() -> assertThat(browser.text("waiting")).contains("leader night-report"));
            assertThat(browser.text("verdict")).doesNotContain("The longest wait");
        } finally {
            redis.delete("lock:{leader:night-report}");
        }
    }

    @Test
    void namesItsTablesAndTheirHeads() {
        hold("heads", "1");
        openLocks("heads");
        eventually(() -> assertThat(browser.text("held")).contains("heads 1"));
        assertThat(browser.run("return document.querySelectorAll('table > caption').length"))
                .isEqualTo(4L);
        assertThat(browser.run("return document.querySelectorAll('th:not([scope])').length"))
                .isEqualTo(0L);
        assertThat(browser.run("return document.querySelector('[aria-live]').textContent"))
                .isEqualTo(browser.run("return document.querySelector('#verdict-title').textContent"));
    }

    @Test
    void tellsThatTheInstanceIsSilent() {
        openLocks("nothing");
        eventually(() -> assertThat(browser.text("verdict")).contains("redis is up"));
        browser.run("window.fetch = () => Promise.reject(new TypeError('gone'))");
        eventually(() -> assertThat(browser.text("verdict")).contains("This instance does not answer"));
    }

    @ParameterizedTest
    @CsvSource({"locks.html, held, 390", "locks.html, held, 1280", "index.html, locks, 390", "index.html, locks, 1280"})
    void fitsTheWindow(String page, String shows, int width) {
        String key = "x".repeat(100);
        hold("wide", key);
        waitFor("wide", key);
        browser.size(width, 800);
        open(page);
        eventually(() -> assertThat(browser.text(shows)).containsAnyOf(key, "2 held, 1 waiting"));
        assertThat(
                        browser.run(
                                "const { scrollWidth, clientWidth } = document.documentElement; return scrollWidth - clientWidth"))
                .isEqualTo(0L);
    }

    @Test
    void theSalesPageCountsTheLocks() {
        hold("counted", "1");
        open("");
        eventually(() -> assertThat(browser.text("locks")).startsWith("Locks: 2 held, 0 waiting"));
        browser.click("locks");
        eventually(() -> assertThat(browser.text("held")).contains("counted 1"));
    }

    private HeldLock hold(String name, String key) {
        HeldLock lock = client.acquire(client.request(name, key));
        held.add(lock);
        return lock;
    }

    private Future<HeldLock> waitFor(String name, String key) {
        Future<HeldLock> call = client.acquireAsync(client.request(name, key).withWaitTime(Duration.ofMinutes(5)));
        waiting.add(call);
        return call;
    }

    private int rows(String table) {
        return ((Number) browser.run("return document.querySelectorAll('#" + table + " tbody tr').length")).intValue();
    }

    private void openLocks(String name) {
        open("locks.html?name=" + name);
    }

    private void open(String page) {
        browser.open("http://localhost:" + port + "/" + page);
    }

    private static void eventually(ThrowingRunnable assertion) {
        await().atMost(Duration.ofMinutes(1)).untilAsserted(assertion);
    }
}
