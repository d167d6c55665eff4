package io.distlock.test.etcd;

/** A server did not start; the message holds the end of its log. */
final class EtcdStartException extends IllegalStateException {

    private final boolean portTaken;

    EtcdStartException(IllegalStateException cause, String log) {
        super(cause.getMessage(), cause);
        this.portTaken = log.contains("address already in use");
    }

    /** Whether other ports might do. */
    boolean isPortTaken() {
        return portTaken;
    }
}
