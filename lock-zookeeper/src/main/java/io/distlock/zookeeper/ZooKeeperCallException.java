package io.distlock.zookeeper;

import io.distlock.support.Futures;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/** A call to ZooKeeper has failed: the driver's errors, translated once. */
final class ZooKeeperCallException extends RuntimeException {

    private static final Set<Code> DENIED = EnumSet.of(Code.NOAUTH, Code.AUTHFAILED, Code.SESSIONCLOSEDREQUIRESASLAUTH);
    private static final Set<Code> UNKNOWN =
            EnumSet.of(Code.CONNECTIONLOSS, Code.OPERATIONTIMEOUT, Code.REQUESTTIMEOUT, Code.SYSTEMERROR);

    private final @Nullable Code code;

    private ZooKeeperCallException(String message, @Nullable Code code, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    static ZooKeeperCallException of(int code, String path) {
        Code known = Code.get(code);
        String where = path.isEmpty() ? "" : " at " + path;
        String why = switch (known) {
            case CONNECTIONLOSS -> "the connection to ZooKeeper broke";
            case SESSIONEXPIRED -> "the session in ZooKeeper has expired";
            case NOAUTH, AUTHFAILED, SESSIONCLOSEDREQUIRESASLAUTH ->
                "ZooKeeper denies access" + where + ". Check distributed-lock.zookeeper.username, password and acl";
            default -> "ZooKeeper answered " + known + where;
        };
        return new ZooKeeperCallException(why, known, null);
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

    static ZooKeeperCallException connectedLate() {
        return new ZooKeeperCallException("ZooKeeper took long to grant a session", Code.SESSIONEXPIRED, null);
    }

    static ZooKeeperCallException tooShort(long wantedMillis, long grantedMillis) {
        return new ZooKeeperCallException(
                "the servers allow sessions of at most " + grantedMillis + " ms, and this lock needs " + wantedMillis
                        + " ms. Shorten its lease time and lock-delay, or raise maxSessionTimeout on the servers",
                Code.BADARGUMENTS,
                null);
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
