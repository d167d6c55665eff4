package io.distlock.redis.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Passwords that a node's URI cannot contain as they are. */
class RedlockPasswordTests {

    /** Each of these ends the address too early, or may not be in a URI at all. */
    @ParameterizedTest
    @ValueSource(strings = {"^", " ", "{", "\"", "%", "/", "#", "?", "@", "1/2", "1#2"})
    void theCureForAPasswordThatCannotBeReadCuresIt(String password) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RedlockNodeSettings.parse("redis://u:" + password + "@b:6380/1", null, null))
                .withMessageEndingWith("with each character of the password that is neither a letter nor a digit"
                        + " percent-encoded; or leave both out, and set distributed-lock.redlock.username and"
                        + " distributed-lock.redlock.password");
        String encoded = URLEncoder.encode(password, StandardCharsets.UTF_8).replace("+", "%20");
        assertThat(List.of(
                        RedlockNodeSettings.parse("redis://u:" + encoded + "@b:6380/1", null, null),
                        RedlockNodeSettings.parse("redis://b:6380/1", "u", password)))
                .containsOnly(new RedlockConnectionDetails.Node("b", 6380, "u", password, 1, false));
    }
}
