package io.distlock.http;

import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.Sequencer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.web.util.UriUtils;

/**
 * The header {@code Lock-Sequencer}: one value for each lock, {@code 1234;exclusive;orders:42}. Name and item are
 * percent-encoded in full, so each value is one word of ASCII for any key. With a secret, a fourth part is the HMAC-SHA256 of
 * {@link Sequencer#text()} in base64url. Thread-safe.
 */
final class SequencerHeader {

    static final String NAME = "Lock-Sequencer";

    static final int MAX_VALUES = 16;
    static final int MAX_LENGTH = 8192;
    private static final int MIN_SECRET = 32;

    private static final Pattern VALUE =
            Pattern.compile("([1-9][0-9]{0,18});(exclusive|shared);([A-Za-z0-9._~:!'()*%-]+)(?:;([A-Za-z0-9_-]{43}))?");
    private static final String HMAC = "HmacSHA256";

    private final List<SecretKeySpec> secrets;

    /**
     * @param secrets the first one signs, each is accepted; none if the values are not signed
     * @throws IllegalArgumentException if a secret is too short to be one
     */
    SequencerHeader(List<String> secrets) {
        this.secrets = secrets.stream().map(SequencerHeader::secret).toList();
    }

    private static SecretKeySpec secret(String text) {
        if (text.length() < MIN_SECRET) {
            throw new IllegalArgumentException("the secret for " + NAME + " has " + text.length()
                    + " characters: use at least " + MIN_SECRET + ", drawn at random");
        }
        return new SecretKeySpec(text.getBytes(StandardCharsets.UTF_8), HMAC);
    }

    boolean isSigned() {
        return !secrets.isEmpty();
    }

    /**
     * The values of locks that are all held.
     *
     * @throws io.distlock.LockLostException if one is known to be lost
     * @throws IllegalStateException if no receiver would accept so many
     */
    List<String> valuesOfHeld(Collection<HeldLock> locks) {
        locks.forEach(HeldLock::ensureHeld);
        List<String> values = values(locks);
        // With the commas by which a proxy may join them.
        int length = String.join(", ", values).length();
        if (values.size() > MAX_VALUES || length > MAX_LENGTH) {
            throw new IllegalStateException("the locks of this call do not fit into the header " + NAME
                    + ", which takes at most " + MAX_VALUES + " values of " + MAX_LENGTH
                    + " characters in all, but there are "
                    + values.size() + " of " + length + ": send the request under fewer locks");
        }
        return values;
    }

    List<String> values(Collection<HeldLock> locks) {
        return locks.stream()
                .flatMap(lock -> lock.sequencers().stream())
                .distinct()
                .map(this::value)
                .toList();
    }

    String value(Sequencer sequencer) {
        LockKey key = sequencer.key();
        String text = sequencer.text();
        String grant = text.substring(0, text.indexOf(';', text.indexOf(';') + 1) + 1);
        String value = grant
                + UriUtils.encode(key.name(), StandardCharsets.UTF_8)
                + key.key()
                        .map(item -> ":" + UriUtils.encode(item, StandardCharsets.UTF_8))
                        .orElse("");
        return isSigned() ? value + ";" + encoded(hmac(secrets.get(0), sequencer)) : value;
    }

    /**
     * Reads the values of a request, some of which may be joined by commas.
     *
     * @return the sequencers by key; with a secret, only authentic ones
     * @throws LockRequirementException 400 if they contain anything else
     */
    Map<LockKey, Sequencer> parse(List<String> headers) {
        int length = headers.stream().mapToInt(String::length).sum();
        List<String> values = length > MAX_LENGTH
                ? List.of()
                : headers.stream()
                        .flatMap(each -> Arrays.stream(each.split(",", MAX_VALUES + 1)))
                        .limit(MAX_VALUES + 1L)
                        .toList();
        if (values.isEmpty() || values.size() > MAX_VALUES) {
            throw LockRequirementException.malformed();
        }
        Map<LockKey, Sequencer> sequencers = new HashMap<>();
        for (String value : values) {
            Sequencer sequencer = parse(value.strip());
            Sequencer before = sequencers.put(sequencer.key(), sequencer);
            if (before != null && !before.equals(sequencer)) {
                throw LockRequirementException.malformed();
            }
        }
        return sequencers;
    }

    private Sequencer parse(String value) {
        var parts = VALUE.matcher(value);
        if (!parts.matches()) {
            throw LockRequirementException.malformed();
        }
        Sequencer sequencer;
        try {
            sequencer = Sequencer.parse(parts.group(1) + ";" + parts.group(2) + ";" + parts.group(3));
        } catch (IllegalArgumentException malformed) {
            throw LockRequirementException.malformed();
        }
        String signature = Optional.ofNullable(parts.group(4)).orElse("");
        if (isSigned() && secrets.stream().noneMatch(secret -> isSignature(signature, secret, sequencer))) {
            throw LockRequirementException.malformed();
        }
        return sequencer;
    }

    /** In constant time, or the right signature could be guessed one character at a time. */
    private static boolean isSignature(String signature, SecretKeySpec secret, Sequencer sequencer) {
        return MessageDigest.isEqual(
                encoded(hmac(secret, sequencer)).getBytes(StandardCharsets.US_ASCII),
                signature.getBytes(StandardCharsets.US_ASCII));
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static byte[] hmac(SecretKeySpec key, Sequencer sequencer) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(key);
            return mac.doFinal((NAME + ";" + sequencer.text()).getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException everyJdkHasIt) {
            throw new IllegalStateException(everyJdkHasIt);
        }
    }
}
