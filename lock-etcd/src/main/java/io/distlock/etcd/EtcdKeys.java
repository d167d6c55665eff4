package io.distlock.etcd;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.etcd.jetcd.ByteSequence;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Makes the names of all keys; nobody else does. A lock is a directory, {@code prefix/name/}, with a key for each who
 * holds it or waits for it: {@code leaseHex-owner} for an exclusive one, {@code shared-leaseHex-owner} for a shared one.
 *
 * <p>The encoded name holds no slash, so no lock's directory is part of another's. A lease's hexadecimal digits sort
 * before {@code shared}, so the exclusive ones are a range of their own.
 */
final class EtcdKeys {

    private static final String SHARED = "shared-";
    private static final char AFTER_HEX = 'g';
    private static final char AFTER_SLASH = '0';

    private final String prefix;

    EtcdKeys(String prefix) {
        this.prefix = prefix + '/';
    }

    /** Where a lock's queue is. */
    Queue of(LockKey key) {
        String name = prefix + key.text();
        return new Queue(bytes(name + '/'), bytes(name + '/' + AFTER_HEX), bytes(name + AFTER_SLASH));
    }

    /** The key of one place in a lock's queue. */
    ByteSequence place(LockKey key, LockMode mode, long leaseId, String owner) {
        return bytes(prefix + key.text() + '/' + occupant(mode, leaseId, owner));
    }

    /** What says that a place was given up for good; no lock has an empty name. */
    ByteSequence withdrawal(LockMode mode, long leaseId, String owner) {
        return bytes(prefix + '/' + occupant(mode, leaseId, owner));
    }

    /** Whether a key of ours is no place in a queue. */
    boolean isWithdrawal(ByteSequence key) {
        return key.startsWith(bytes(prefix + '/'));
    }

    /**
     * The key as it was made, from its whole name at the server. What comes before may end like a prefix, or hold one: our
     * own part is known by its end, where nothing holds a slash.
     *
     * @return empty if it is none of ours
     */
    Optional<ByteSequence> withoutNamespace(ByteSequence key) {
        String text = key.toString(StandardCharsets.UTF_8);
        int name = text.lastIndexOf('/', text.lastIndexOf('/') - 1) + 1;
        int start = name - prefix.length();
        return text.startsWith(prefix, start) ? Optional.of(bytes(text.substring(start))) : Optional.empty();
    }

    private static String occupant(LockMode mode, long leaseId, String owner) {
        return (mode == LockMode.SHARED ? SHARED : "") + HexFormat.of().toHexDigits(leaseId) + '-' + owner;
    }

    /** How a place is held or waited for, and by whom, read from its key. */
    Occupant occupant(ByteSequence place) {
        String text = place.toString(StandardCharsets.UTF_8);
        String last = text.substring(text.lastIndexOf('/') + 1);
        boolean shared = last.startsWith(SHARED);
        String leaseAndOwner = shared ? last.substring(SHARED.length()) : last;
        return new Occupant(
                shared ? LockMode.SHARED : LockMode.EXCLUSIVE, leaseAndOwner.substring(leaseAndOwner.indexOf('-') + 1));
    }

    /** All locks, for a question that concerns none in particular. */
    ByteSequence root() {
        return bytes(prefix);
    }

    private static ByteSequence bytes(String text) {
        return ByteSequence.from(text, StandardCharsets.UTF_8);
    }

    /**
     * @param first where the places begin, those of exclusive ones first
     * @param afterExclusive the end of the exclusive ones
     * @param end the end of all
     */
    record Queue(ByteSequence first, ByteSequence afterExclusive, ByteSequence end) {

        /** The end of those whom one of this mode has to wait for: a shared one lets shared ones be. */
        ByteSequence endFor(LockMode mode) {
            return mode == LockMode.SHARED ? afterExclusive : end;
        }
    }

    record Occupant(LockMode mode, String owner) {}
}
