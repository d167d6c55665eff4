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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the inspection script's reply. */
public final class Holders {

    /** The owner of a lock that was released but stays taken for a while. */
    private static final String KEPT = "kept";

    private static final Pattern OURS = Pattern.compile("(?s)(.+):([1-9][0-9]{0,17})");

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
        Matcher ours = OURS.matcher(value);
        // Another client's, by the canonical recipe, means nothing to us.
        return ours.matches()
                ? new Holder(ours.group(1), Optional.of(new FencingToken(Long.parseLong(ours.group(2)))), remaining)
                : new Holder(value, Optional.empty(), remaining);
    }
}
