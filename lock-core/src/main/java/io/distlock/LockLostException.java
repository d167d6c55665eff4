package io.distlock;

/** The lock was held and no longer is. Work done since may overlap with another holder's. */
public class LockLostException extends LockException {

    private static final long serialVersionUID = 1L;

    private final LockLoss loss;

    public LockLostException(LockLoss loss) {
        this(
                "lock '" + loss.key() + "' (token " + loss.token() + ") was lost after "
                        + loss.heldFor().toMillis() + " ms: "
                        + loss.reason().explanation(),
                loss);
    }

    /** For subclasses that know more about the loss. */
    protected LockLostException(String message, LockLoss loss) {
        super(message, loss.key(), loss.heldFor(), null);
        this.loss = loss;
    }

    /** What was lost, when and why. */
    public LockLoss loss() {
        return loss;
    }
}
