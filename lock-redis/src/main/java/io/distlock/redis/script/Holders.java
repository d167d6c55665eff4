package io.distlock.redis.script;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockStatus;
import io.distlock.LockStatus.Holder;
import io.distlock.Sequencer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the inspection script's reply. */
public final class Holders {

    /** The owner of a lock that was released but stays taken for a while. */
    private static final String KEPT = "kept";

    private static final int TOKEN_DIGITS = 18;

    private Holders() {}

    static Optional<LockStatus> status(LockKey key, List<Object> reply) {
        if (reply.isEmpty()) {
            return Optional.empty();
        }
        List<Holder> holders = new ArrayList<>();
        for (int at = 1; at < reply.size(); at += 2) {
            holders.add(holder((String) reply.get(at), (Long) reply.get(at + 1)));
        }
        LockMode mode = reply.get(0).equals("shared") ? LockMode.SHARED : LockMode.EXCLUSIVE;
        return Optional.of(new LockStatus(key, mode, holders, Optional.empty()));
    }

    public static boolean isCurrent(Sequencer sequencer, Optional<LockStatus> status) {
        return by(sequencer.token(), status)
                .filter(grant -> grant.mode() == sequencer.mode())
                .isPresent();
    }

    /** The holder with this token. */
    public static Optional<Grantee> by(FencingToken token, Optional<LockStatus> status) {
        return status.flatMap(taken -> taken.holders().stream()
                .filter(holder -> !holder.owner().equals(KEPT)
                        && holder.token().filter(token::equals).isPresent())
                .map(holder -> new Grantee(taken.mode(), holder.owner()))
                .findFirst());
    }

    /** The mode and the owner of a grant, or of a vote for one. */
    public record Grantee(LockMode mode, String owner) {}

    private static Holder holder(String value, long remainingMillis) {
        Optional<Duration> remaining =
                remainingMillis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(remainingMillis));
        int colon = value.lastIndexOf(':');
        if (colon > 0 && isToken(value, colon + 1)) {
            FencingToken token = new FencingToken(Long.parseLong(value, colon + 1, value.length(), 10));
            return new Holder(value.substring(0, colon), Optional.of(token), remaining);
        }
        // Another client's, by the canonical recipe: a value that means nothing to us.
        return new Holder(value, Optional.empty(), remaining);
    }

    private static boolean isToken(String value, int from) {
        int digits = value.length() - from;
        return digits > 0
                && digits <= TOKEN_DIGITS
                && value.charAt(from) != '0'
                && value.chars().skip(from).allMatch(c -> c >= '0' && c <= '9');
    }
}
