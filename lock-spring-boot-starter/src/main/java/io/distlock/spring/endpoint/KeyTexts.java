package io.distlock.spring.endpoint;

import io.distlock.LockKey;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;

/**
 * The keys of locks as they may be shown: what is locked may be somebody's e-mail address. Names are never hidden.
 *
 * @param sanitizer asked with the lock's name as the key, and its key as the value
 * @param shown whether keys are shown at all
 */
record KeyTexts(Sanitizer sanitizer, boolean shown) {

    /** The key under the name, if there is one. */
    @Nullable
    String key(LockKey lock) {
        return lock.key().map(key -> sanitized(lock, key)).orElse(null);
    }

    /** The lock as one text that can be asked for; hidden if its key is. */
    String id(LockKey lock) {
        boolean open =
                lock.key().filter(key -> !sanitized(lock, key).equals(key)).isEmpty();
        return open ? lock.text() : SanitizableData.SANITIZED_VALUE;
    }

    private String sanitized(LockKey lock, String key) {
        return String.valueOf(sanitizer.sanitize(new SanitizableData(null, lock.name(), key), shown));
    }
}
