package io.distlock.test.etcd;

/** The server answered with an error; the message is the server's. */
public final class EtcdErrorException extends RuntimeException {

    private static final int UNKNOWN = 2;
    private static final int INVALID_ARGUMENT = 3;
    private static final int PERMISSION_DENIED = 7;
    private static final int UNAUTHENTICATED = 16;

    private final int code;

    private EtcdErrorException(String message, int code) {
        super(message);
        this.code = code;
    }

    /** What the gateway refuses on its own account, it refuses in plain words. */
    static EtcdErrorException of(String body) {
        if (!body.startsWith("{")) {
            return new EtcdErrorException(body.strip(), UNKNOWN);
        }
        GatewayReply reply = GatewayReply.parse(body);
        return new EtcdErrorException(reply.text("error"), (int) reply.number("code"));
    }

    /**
     * What kind of error it is.
     *
     * @return gRPC's status code
     */
    public int code() {
        return code;
    }

    /** Whether a valid token might help: without one, a client is a user without a name. */
    boolean asksForLogin() {
        return switch (code) {
            case INVALID_ARGUMENT -> String.valueOf(getMessage()).contains("user name is empty");
            case PERMISSION_DENIED, UNAUTHENTICATED -> true;
            default -> false;
        };
    }
}
