package io.distlock.samples.flashsale.backstage;

import java.time.Instant;
import java.util.Optional;

/**
 * A process by its id and the moment at which it began: ids are given to others later.
 *
 * @param pid the process id
 * @param since when it began
 */
record OwnedProcess(long pid, Instant since) {

    static OwnedProcess of(ProcessHandle process) {
        return new OwnedProcess(process.pid(), beginning(process));
    }

    /** The process, if it is still there. */
    Optional<ProcessHandle> find() {
        return ProcessHandle.of(pid).filter(process -> beginning(process).equals(since));
    }

    private static Instant beginning(ProcessHandle process) {
        return process.info().startInstant().orElse(Instant.EPOCH);
    }
}
