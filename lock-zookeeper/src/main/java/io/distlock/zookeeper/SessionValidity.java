package io.distlock.zookeeper;

import io.distlock.spi.Moment;
import io.distlock.spi.Ticker;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long a session is known to last. Only the leader expires sessions, and what a client sends to a follower does not touch
 * them there, even if it passes through the leader: the follower keeps a table of the sessions that it has heard of, and hands it
 * over with its answer to the leader's next ping, every half tick. So an answered request proves that the session still
 * existed, and not that it was extended. But if a later one passes through the leader, over a tick after the answer to an
 * earlier one, then the follower was still connected, a ping lies between, and the leader has heard of the earlier one: the
 * session lasts its whole time from then on. A follower that is cut off can answer the driver's own pings for many ticks; it
 * cannot confirm anything.
 *
 * <p>A leader that stands still pings nobody, and may expire sessions once it goes on. So an answer that took longer than a tick
 * confirms nothing, nor does the first one after a request without answer, nor one that arrives after the session's time.
 *
 * <p>Thread-safe.
 */
final class SessionValidity {

    private final Ticker ticker;
    private final long tickNanos;
    private final long lastsNanos;
    private volatile Moment confirmed;

    // Guarded by the monitor: the request that the next one may confirm.
    private @Nullable Moment touched;
    private long answeredNanos;

    /**
     * Of a session that has just been established, which the leader did itself.
     *
     * @param created read before its first request was sent
     * @param lasts what the server has granted
     */
    SessionValidity(Ticker ticker, Duration tickTime, Moment created, Duration lasts) {
        this.ticker = ticker;
        this.tickNanos = tickTime.toNanos();
        // Less what the clocks may drift apart meanwhile.
        this.lastsNanos = lasts.toNanos() - lasts.toNanos() / 100;
        this.confirmed = created;
        this.touched = created;
        this.answeredNanos = ticker.nanos();
    }

    /** A request that passed through the leader was answered. */
    synchronized void answered(Moment sent) {
        long now = ticker.nanos();
        Moment before = touched;
        boolean prompt = now - sent.nanos() <= tickNanos;
        boolean apart = sent.nanos() - answeredNanos > tickNanos;
        if (before != null && prompt && apart && !isOver()) {
            confirmed = before;
        }
        if (before == null || !prompt || apart) {
            touched = sent;
            answeredNanos = now;
        }
    }

    /** A request was not answered: the leader may stand still. */
    synchronized void unanswered() {
        touched = null;
    }

    /** It may have expired, for all that is known. */
    boolean isOver() {
        return confirmed.elapsedNanos(ticker) > lastsNanos;
    }

    /** A lock's own, shorter time may start now: the session outlasts it. */
    boolean outlasts(Duration timeToLive) {
        return confirmed.elapsedNanos(ticker) <= lastsNanos - timeToLive.toNanos();
    }

    /** When a lock's own, shorter time may start: as late as possible, while the session still outlasts it. */
    Moment validSince(Duration timeToLive) {
        Moment last = confirmed;
        Moment now = ticker.now();
        long slack = lastsNanos - timeToLive.toNanos();
        return last.elapsedNanos(ticker) <= slack
                ? now
                : new Moment(last.nanos() + slack, last.wallMillis() + TimeUnit.NANOSECONDS.toMillis(slack));
    }

    Duration confirmedAgo() {
        return Duration.ofNanos(confirmed.elapsedNanos(ticker));
    }
}
