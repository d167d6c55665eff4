package io.distlock.spring.client;

import io.distlock.LockKey;
import io.distlock.leader.LeaderElection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which lock names become tags: all names in annotations and the first hundred others. So an application
 * that puts order numbers into names does not fill the registry. Thread-safe.
 */
public final class MeterNameLimiter {

    /** The tag for all other names. */
    public static final String OTHER = "other";

    /** How many names outside annotations get their own tag. */
    static final int MOST = 100;

    private static final Logger log = LoggerFactory.getLogger(MeterNameLimiter.class);

    private final Set<String> declared = ConcurrentHashMap.newKeySet();
    private final Set<String> admitted = ConcurrentHashMap.newKeySet();
    private volatile boolean full;

    /**
     * Whether a lock is that of a role. Candidates wait for it, and leaders hold it, for days, so what is timed for calls is not
     * for these.
     */
    public static boolean isOfARole(LockKey key) {
        return key.name().equals(LeaderElection.LOCK_NAME) && key.key().isPresent();
    }

    /** The tag of a lock: its name or, of a role's, the whole key, since roles are few and not alike. */
    public String of(LockKey key) {
        return of(isOfARole(key) ? key.name() + ':' + key.key().orElseThrow() : key.name());
    }

    /** Admits a name that is in an annotation. */
    public void declare(String name) {
        declared.add(name);
    }

    /** The name, or {@link #OTHER}. */
    public String of(String name) {
        return admitted.contains(name) || declared.contains(name) || (!full && admit(name)) ? name : OTHER;
    }

    private synchronized boolean admit(String name) {
        if (admitted.size() < MOST || admitted.contains(name)) {
            admitted.add(name);
            return true;
        }
        if (!full) {
            full = true;
            log.warn(
                    "More than {} lock names besides those in annotations: further ones, such as '{}', are called"
                            + " '{}' in metrics and traces. Put the part that varies into the key",
                    MOST,
                    name,
                    OTHER);
        }
        return false;
    }
}
