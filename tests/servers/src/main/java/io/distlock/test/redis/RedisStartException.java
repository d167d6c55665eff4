package io.distlock.test.redis;

/** A server did not start; the message holds the end of its log. */
final class RedisStartException extends IllegalStateException {

    private final boolean portTaken;

    private RedisStartException(String message, Throwable cause, boolean portTaken) {
        super(message, cause);
        this.portTaken = portTaken;
    }

    static RedisStartException because(IllegalStateException cause, String log, RedisBinary binary) {
        boolean withoutTls = log.contains("'tls-port") && log.contains("Bad directive");
        String hint = withoutTls ? binary.path() + " was built without TLS, which the test asks for. " : "";
        return new RedisStartException(hint + cause.getMessage(), cause, log.contains("Address already in use"));
    }

    /** Whether another port might do. */
    boolean isPortTaken() {
        return portTaken;
    }
}
