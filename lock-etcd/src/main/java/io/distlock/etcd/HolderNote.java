package io.distlock.etcd;

import io.distlock.LockMode;
import io.distlock.spi.LeaseRequest;
import io.etcd.jetcd.ByteSequence;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;

/** What a place's value tells a person who looks: how and by which process. Read by nobody else, but for one word. */
final class HolderNote {

    /** Of a lock that nobody holds any more, but that stays taken for the rest of a minimum hold time. */
    static final ByteSequence KEPT = ByteSequence.from("kept", StandardCharsets.UTF_8);

    /** Of a session's key, which counts by its revisions and is read by nobody. */
    static final ByteSequence SESSION = ByteSequence.from("session", StandardCharsets.UTF_8);

    private final ByteSequence exclusive;
    private final ByteSequence shared;

    HolderNote() {
        String process = ManagementFactory.getRuntimeMXBean().getName();
        this.exclusive = ByteSequence.from("exclusive, process " + process, StandardCharsets.UTF_8);
        this.shared = ByteSequence.from("shared, process " + process, StandardCharsets.UTF_8);
    }

    ByteSequence of(LeaseRequest request) {
        return request.mode() == LockMode.SHARED ? shared : exclusive;
    }
}
