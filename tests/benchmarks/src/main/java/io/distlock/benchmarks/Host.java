package io.distlock.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Who else uses the processors of a virtual machine: only the kernel knows, and only Linux tells. */
final class Host {

    private static final Path ACCOUNT = Path.of("/proc/stat");
    private static final int STOLEN = 7;

    /** The columns after it are parts of others. */
    private static final int COLUMNS = 8;

    private Host() {}

    /**
     * What the processors have been doing since the machine was started, all of them together.
     *
     * @param stolen ticks in which something here wanted to run and the host ran somebody else
     * @param all all ticks
     */
    record Account(long stolen, long all) {

        /** What has been stolen since an earlier account, for people. */
        String stolenSince(Account earlier) {
            double share = (double) (stolen - earlier.stolen) / Math.max(1, all - earlier.all);
            return String.format(
                    Locale.ROOT, "(the host gave %.0f %% of the processors to others meanwhile)", 100 * share);
        }
    }

    /** Empty on systems that keep none. */
    static Optional<Account> account() {
        if (!Files.isReadable(ACCOUNT)) {
            return Optional.empty();
        }
        try {
            long[] ticks = Arrays.stream(Files.readAllLines(ACCOUNT).get(0).split(" +"))
                    .skip(1)
                    .limit(COLUMNS)
                    .mapToLong(Long::parseLong)
                    .toArray();
            return Optional.of(new Account(ticks[STOLEN], Arrays.stream(ticks).sum()));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }
}
