package io.distlock.etcd;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.spi.LeaseRequest;
import io.etcd.jetcd.ByteSequence;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * All keys and their values. A lock is a directory, {@code prefix/name/}, with a key for each holder and waiter: {@code
 * leaseHex-owner} for an exclusive one, {@code shared-leaseHex-owner} for a shared one. An acquisition's second and later
 * places have their number after the lease: {@code leaseHex.1-owner}.
 *
 * <p>The encoded name has no slash, so no lock's directory is part of another's. A lease's hexadecimal digits sort before
 * {@code shared}, so the exclusive ones form their own range.
 */
final class EtcdKeys {

    /** The value of a key that nobody holds any more, but that stays for the rest of a minimum hold time. */
    static final ByteSequence KEPT = bytes("kept");

    /** The value of a session's key; only its revisions matter. */
    static final ByteSequence SESSION = bytes("session");

    private static final String SHARED = "shared-";
    private static final int LEASE_DIGITS = 16;
    private static final char AFTER_HEX = 'g';
    private static final char AFTER_SLASH = '0';

    private final String prefix;
    private final ByteSequence exclusiveNote;
    private final ByteSequence sharedNote;

    EtcdKeys(String prefix) {
        this.prefix = prefix + '/';
        String process = ManagementFactory.getRuntimeMXBean().getName();
        this.exclusiveNote = bytes("exclusive, process " + process);
        this.sharedNote = bytes("shared, process " + process);
    }

    /** The value of a place, for diagnostics: its mode and its process. */
    ByteSequence note(LeaseRequest request) {
        return request.mode() == LockMode.SHARED ? sharedNote : exclusiveNote;
    }

    Queue of(LockKey key) {
        String name = prefix + key.text();
        return new Queue(bytes(name + '/'), bytes(name + '/' + AFTER_HEX), bytes(name + AFTER_SLASH));
    }

    /** The key of a place in a lock's queue; {@code attempt} counts those of one acquisition: no key is reused. */
    ByteSequence place(LockKey key, LockMode mode, long leaseId, int attempt, String owner) {
        return bytes(prefix
                + key.text()
                + '/'
                + (mode == LockMode.SHARED ? SHARED : "")
                + hex(leaseId)
                + (attempt == 0 ? "" : "." + attempt)
                + '-'
                + owner);
    }

    /** A session's key, which exists for as long as its lease; no lock has an empty name. */
    ByteSequence session(long leaseId) {
        return session(hex(leaseId));
    }

    /** The key of a place's session. */
    ByteSequence sessionOf(ByteSequence place) {
        String leaseAndOwner = leaseAndOwner(place);
        return session(leaseAndOwner.substring(0, Math.min(LEASE_DIGITS, leaseAndOwner.length())));
    }

    private ByteSequence session(String leaseHex) {
        return bytes(prefix + '/' + leaseHex);
    }

    private static String hex(long leaseId) {
        return HexFormat.of().toHexDigits(leaseId);
    }

    Occupant occupant(ByteSequence place) {
        String leaseAndOwner = leaseAndOwner(place);
        return new Occupant(
                last(place).startsWith(SHARED) ? LockMode.SHARED : LockMode.EXCLUSIVE,
                leaseAndOwner.substring(leaseAndOwner.indexOf('-') + 1));
    }

    private static String leaseAndOwner(ByteSequence place) {
        String last = last(place);
        return last.startsWith(SHARED) ? last.substring(SHARED.length()) : last;
    }

    private static String last(ByteSequence place) {
        String text = place.toString(StandardCharsets.UTF_8);
        return text.substring(text.lastIndexOf('/') + 1);
    }

    ByteSequence root() {
        return bytes(prefix);
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    /** The range of a lock's places: the exclusive ones, then the shared ones. */
    record Queue(ByteSequence first, ByteSequence afterExclusive, ByteSequence end) {

        /** The end of the places that this mode waits for: a shared one ignores shared ones. */
        ByteSequence endFor(LockMode mode) {
            return mode == LockMode.SHARED ? afterExclusive : end;
        }
    }

    record Occupant(LockMode mode, String owner) {}
}
