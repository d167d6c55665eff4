package io.distlock.fencing;

import io.distlock.LockLoss;
import io.distlock.LockLostException;
import io.distlock.Sequencer;
import java.time.Duration;

/**
 * A resource refused this holder, because it has seen the token of a later grant of the same lock: the lock was lost,
 * even if its holder has not noticed.
 */
public final class StaleFencingTokenException extends LockLostException {

    private static final long serialVersionUID = 1L;

    /**
     * @param sequencer the grant that was refused
     * @param resource what refused it and why, as a clause for the message
     */
    public StaleFencingTokenException(Sequencer sequencer, String resource) {
        super(
                "lock '" + sequencer.key() + "' (token " + sequencer.token() + ") is stale: " + resource,
                new LockLoss(
                        sequencer.key(),
                        sequencer.mode(),
                        sequencer.token(),
                        LockLoss.Reason.NOT_OWNER,
                        Duration.ZERO,
                        Duration.ZERO));
    }
}
