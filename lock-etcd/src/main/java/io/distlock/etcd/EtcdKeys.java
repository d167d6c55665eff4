package io.distlock.etcd;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.etcd.jetcd.ByteSequence;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * All keys and their values. A lock is a directory, {@code prefix/name/}, with a key for each holder and waiter: {@code
 * leaseHex-owner} if exclusive, {@code shared-leaseHex-owner} if shared. An acquisition's later places are numbered: {@code
 * leaseHex.1-owner}. The encoded name has no slash, so no directory is part of another. Hexadecimal digits sort before
 * {@code shared}, so the exclusive keys form their own range.
 */
final class EtcdKeys {

    /** The value of a key that nobody holds any more, but that stays for the rest of a minimum hold time. */
    static final ByteSequence KEPT = bytes("kept");

    /** The value of a session's key; only its revisions matter. */
    static final ByteSequence SESSION = bytes("session");

    private static final String LOCK_DELAY = ", lock-delay ";
    private static final Pattern STATED_DELAY = Pattern.compile(LOCK_DELAY + "(\\d{1,9}) ms,");
    private static final String SHARED = "shared-";
    private static final int LEASE_DIGITS = 16;

    // The characters after 'f' and '/'.
    private static final String END_OF_EXCLUSIVE = "/g";
    private static final String END = "0";

    private final String prefix;
    private final String process =
            ", process " + ManagementFactory.getRuntimeMXBean().getName();

    EtcdKeys(String prefix) {
        this.prefix = prefix + '/';
    }

    /** The value of a place, for diagnostics, and for those who wait for it to find its lock-delay. */
    ByteSequence note(LockMode mode, Duration lockDelay) {
        return bytes((mode == LockMode.SHARED ? "shared" : "exclusive")
                + (lockDelay.isZero() ? "" : LOCK_DELAY + lockDelay.toMillis() + " ms")
                + process);
    }

    /** Zero unless the value states one. */
    static Duration lockDelay(ByteSequence note) {
        Matcher stated = STATED_DELAY.matcher(note.toString(StandardCharsets.UTF_8));
        return stated.find() ? Duration.ofMillis(Long.parseLong(stated.group(1))) : Duration.ZERO;
    }

    /** Where a lock's places begin. */
    ByteSequence first(LockKey key) {
        return bytes(prefix + key.text() + '/');
    }

    /** Where the places end that this mode waits for: a shared one ignores shared ones. */
    ByteSequence end(LockKey key, LockMode mode) {
        return bytes(prefix + key.text() + (mode == LockMode.SHARED ? END_OF_EXCLUSIVE : END));
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
        return bytes(prefix + '/' + hex(leaseId));
    }

    /** The key of a place's session. */
    ByteSequence sessionOf(ByteSequence place) {
        String leaseAndOwner = leaseAndOwner(place);
        return bytes(prefix + '/' + leaseAndOwner.substring(0, Math.min(LEASE_DIGITS, leaseAndOwner.length())));
    }

    private static String hex(long leaseId) {
        return HexFormat.of().toHexDigits(leaseId);
    }

    static LockMode mode(ByteSequence place) {
        return last(place).startsWith(SHARED) ? LockMode.SHARED : LockMode.EXCLUSIVE;
    }

    static String owner(ByteSequence place) {
        String leaseAndOwner = leaseAndOwner(place);
        return leaseAndOwner.substring(leaseAndOwner.indexOf('-') + 1);
    }

    private static String leaseAndOwner(ByteSequence place) {
        return last(place).replaceFirst('^' + SHARED, "");
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
}
