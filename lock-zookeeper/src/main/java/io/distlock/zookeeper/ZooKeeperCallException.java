package io.distlock.zookeeper;

import io.distlock.support.Futures;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/** A call to ZooKeeper has failed: the driver's errors, translated once. */
public final class ZooKeeperCallException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private static final Set<Code> DENIED = EnumSet.of(Code.NOAUTH, Code.AUTHFAILED, Code.SESSIONCLOSEDREQUIRESASLAUTH);
    private static final Set<Code> UNKNOWN =
            EnumSet.of(Code.CONNECTIONLOSS, Code.OPERATIONTIMEOUT, Code.REQUESTTIMEOUT, Code.SYSTEMERROR);

    private final String problem;
    private final @Nullable String cure;
    private final @Nullable Code code;

    private ZooKeeperCallException(String problem, @Nullable Code code, @Nullable Throwable cause) {
        super(problem, cause);
        this.problem = problem;
        this.cure = null;
        this.code = code;
    }

    private ZooKeeperCallException(Code code, String problem, String cure) {
        super(problem + ". " + cure);
        this.problem = problem;
        this.cure = cure;
        this.code = code;
    }

    static ZooKeeperCallException of(int code, String path) {
        Code known = Code.get(code);
        String where = path.isEmpty() ? "" : " at " + path;
        return switch (known) {
            case CONNECTIONLOSS -> new ZooKeeperCallException("the connection to ZooKeeper broke", known, null);
            case SESSIONEXPIRED -> new ZooKeeperCallException("the session in ZooKeeper has expired", known, null);
            case NOAUTH, AUTHFAILED, SESSIONCLOSEDREQUIRESASLAUTH ->
                new ZooKeeperCallException(
                        known,
                        "ZooKeeper denies access" + where,
                        "Set distributed-lock.zookeeper.username and password, or what the client's properties say about"
                                + " SASL, to a user who may");
            default -> new ZooKeeperCallException("ZooKeeper answered " + known + where, known, null);
        };
    }

    static ZooKeeperCallException of(Throwable failure) {
        Throwable cause = Futures.cause(failure);
        if (cause instanceof ZooKeeperCallException known) {
            return known;
        } else if (cause instanceof TimeoutException silence) {
            return new ZooKeeperCallException("ZooKeeper gave " + silence.getMessage(), null, silence);
        }
        Code code = cause instanceof KeeperException refused ? refused.code() : null;
        return new ZooKeeperCallException("a call to ZooKeeper failed: " + cause, code, cause);
    }

    static ZooKeeperCallException unconfirmed() {
        return new ZooKeeperCallException("ZooKeeper does not confirm the session", null, null);
    }

    /** Too many others were under way. */
    static ZooKeeperCallException unsent(int others) {
        return new ZooKeeperCallException(
                "a call was not sent, since " + others + " others were under way for the time of a call",
                Code.THROTTLEDOP,
                null);
    }

    static ZooKeeperCallException connectedLate() {
        return new ZooKeeperCallException("ZooKeeper took long to grant a session", Code.SESSIONEXPIRED, null);
    }

    /** Nobody has answered for this long. */
    static ZooKeeperCallException unreachable(String servers, Duration tried) {
        return new ZooKeeperCallException(
                Code.OPERATIONTIMEOUT,
                "no server of ZooKeeper at " + servers + " has granted a session within " + tried.toMillis() + " ms",
                "Make sure that a majority of them is running, that distributed-lock.zookeeper.connect-string names"
                        + " them, and that they expect TLS if distributed-lock.zookeeper.ssl.bundle is set");
    }

    static ZooKeeperCallException noChroot() {
        return new ZooKeeperCallException(
                Code.BADARGUMENTS,
                "the chroot in distributed-lock.zookeeper.connect-string does not exist, nor does the node above it",
                "Create it in ZooKeeper, or correct the property");
    }

    static ZooKeeperCallException tooShort(long wantedMillis, long grantedMillis) {
        return new ZooKeeperCallException(
                Code.BADARGUMENTS,
                "the servers allow sessions of at most " + grantedMillis + " ms, and this lock needs " + wantedMillis
                        + " ms",
                "Shorten its lease time and lock-delay, or raise maxSessionTimeout on the servers");
    }

    /** What is wrong. */
    public String problem() {
        return problem;
    }

    /** What to do about it, if that is known. */
    public Optional<String> cure() {
        return Optional.ofNullable(cure);
    }

    /** Without an answer, or with one that does not say. */
    boolean mayBeApplied() {
        return code == null || UNKNOWN.contains(code);
    }

    /** To ask again is pointless. */
    boolean isFinal() {
        return code == Code.BADARGUMENTS || DENIED.contains(code);
    }

    boolean isExpired() {
        return code == Code.SESSIONEXPIRED;
    }

    boolean isNoNode() {
        return code == Code.NONODE;
    }

    boolean isNodeExists() {
        return code == Code.NODEEXISTS;
    }

    boolean isSilence() {
        return getCause() instanceof TimeoutException;
    }
}
