package io.distlock.etcd.client;

import static java.lang.Integer.parseInt;

import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The version of an etcd server. */
public record ServerVersion(int major, int minor, int patch) {

    private static final Pattern SHAPE = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\.(\\d{1,4})");

    public static Optional<ServerVersion> parse(String text) {
        Matcher parts = SHAPE.matcher(text);
        return parts.lookingAt()
                ? Optional.of(
                        new ServerVersion(parseInt(parts.group(1)), parseInt(parts.group(2)), parseInt(parts.group(3))))
                : Optional.empty();
    }

    /**
     * Whether a leader that was stuck and has been replaced may revoke leases that its successor extends (etcd issue
     * 15247). According to etcd's change logs, fixed in 3.4.31, in 3.5.13, and from 3.6.0 on.
     */
    public boolean mayRevokeLeasesInUse() {
        int repaired = minor < 5 ? 31 : 13;
        return major < 3 || (major == 3 && (minor < 4 || (minor < 6 && patch < repaired)));
    }

    @Override
    public String toString() {
        return major + "." + minor + "." + patch;
    }

    /** Warns once about servers that may revoke held locks. Thread-safe. */
    public static final class Warning {

        private static final Logger log = LoggerFactory.getLogger(ServerVersion.class);

        private final AtomicBoolean warned = new AtomicBoolean();

        public void lookAt(Collection<ServerVersion> versions) {
            versions.stream()
                    .filter(ServerVersion::mayRevokeLeasesInUse)
                    .findFirst()
                    .filter(old -> warned.compareAndSet(false, true))
                    .ifPresent(old -> log.warn(
                            "etcd {} has a bug: a leader that froze and was replaced may revoke leases that are still"
                                    + " kept alive, and held locks with them (etcd issue 15247). Upgrade to 3.4.31, 3.5.13"
                                    + " or later, where this is rare but still possible, and check fencing tokens where you"
                                    + " write",
                            old));
        }
    }
}
