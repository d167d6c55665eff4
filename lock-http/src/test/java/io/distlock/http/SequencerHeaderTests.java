package io.distlock.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.distlock.FencingToken;
import io.distlock.HeldLock;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SequencerHeaderTests {

    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    private final SequencerHeader plain = new SequencerHeader(List.of());
    private final SequencerHeader signed = new SequencerHeader(List.of(SECRET));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "orders",
                "42",
                "a,b",
                "a;b",
                "a\"b\\c",
                "50 % off",
                "a/b:c",
                "{x}",
                "größe",
                "日本",
                "😀",
                "+",
                " a",
                "a\u00a0b",
                "(it's!)*",
                "a=b&c"
            })
    void eachKeyIsOneWordOfAsciiAndComesBack(String text) {
        for (LockKey key : List.of(LockKey.of(text), LockKey.of(text, text))) {
            for (LockMode mode : LockMode.values()) {
                Sequencer sequencer = new Sequencer(key, mode, new FencingToken(Long.MAX_VALUE));
                for (SequencerHeader header : List.of(plain, signed)) {
                    String value = header.value(sequencer);
                    assertThat(value).matches("[!-~&&[^,\"\\\\]]+");
                    assertThat(header.parse(List.of(value))).containsExactly(Map.entry(key, sequencer));
                }
            }
        }
    }

    @Test
    void theLongestKeysFit() {
        LockKey longest = LockKey.of("語".repeat(170), "語".repeat(170));
        Sequencer sequencer = new Sequencer(longest, LockMode.EXCLUSIVE, new FencingToken(Long.MAX_VALUE));
        assertThat(signed.parse(List.of(signed.value(sequencer)))).containsKey(longest);
    }

    @Test
    void severalLocksAreSeveralValuesOrJoinedByAProxy() {
        assertThat(plain.parse(List.of("1;exclusive;a", "2;shared;b , 3;exclusive;c:d")))
                .hasSize(3);
        assertThat(plain.parse(List.of("1;exclusive;a", "1;exclusive;a"))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "1",
                "1;exclusive",
                "1;exclusive;",
                "0;exclusive;a",
                "-1;exclusive;a",
                "+1;exclusive;a",
                "01;exclusive;a",
                "1e9;exclusive;a",
                "٣;exclusive;a",
                "9223372036854775808;exclusive;a",
                "99999999999999999999999999;exclusive;a",
                "1;EXCLUSIVE;a",
                "1;writing;a",
                "1;exclusive;a:",
                "1;exclusive;:a",
                "1;exclusive;%20",
                "1;exclusive;a%",
                "1;exclusive;a%2",
                "1;exclusive;a%0a",
                "1;exclusive;a%zz",
                "1;exclusive;größe",
                "1;exclusive;a b",
                "1;exclusive;a;b",
                "1;exclusive;a;",
                "1;exclusive;a,",
                ",1;exclusive;a",
                "1;exclusive;a,1;exclusive;b;x",
                "1;exclusive;a,2;exclusive;a",
                "1;exclusive;a,1;shared;a"
            })
    void anythingElseIsRefused(String value) {
        assertMalformed(plain, List.of(value));
    }

    @Test
    void tooManyOrTooLongValuesAreRefused() {
        List<String> values =
                IntStream.range(0, 17).mapToObj(i -> "1;exclusive;k" + i).toList();
        assertThat(plain.parse(values.subList(0, 16))).hasSize(16);
        assertMalformed(plain, values);
        assertMalformed(plain, List.of(String.join(",", values)));
        assertMalformed(plain, Collections.nCopies(1_000, "1;exclusive;a"));
        assertMalformed(plain, List.of("1;exclusive;" + "a".repeat(600)));
        assertMalformed(plain, List.of("1;exclusive;" + "%61".repeat(2_600)));
        assertMalformed(plain, List.of("1;exclusive;" + "%61".repeat(3_000)));
        assertMalformed(plain, List.of(",".repeat(10_000_000)));
    }

    /** Each is as long as one may be. */
    @Test
    void valuesThatAreTooLongTogetherAreRefused() {
        List<String> values = IntStream.range(0, 3)
                .mapToObj(i -> "1;exclusive;" + "%61".repeat(511) + i + ":" + "%61".repeat(512))
                .toList();
        assertThat(plain.parse(values.subList(0, 2))).hasSize(2);
        assertMalformed(plain, values);
    }

    @Test
    void asManyCharactersAreAcceptedAsThereMayBeAndNotOneMore() {
        List<String> longest = List.of(value(0, 3_000), value(1, 3_000), value(2, 2_192));
        assertThat(plain.parse(longest)).hasSize(3);
        assertMalformed(plain, List.of(value(0, 3_000), value(1, 3_000), value(2, 2_193)));
        // The comma counts.
        assertThat(plain.parse(List.of(value(0, 3_000) + "," + value(1, 3_000), value(2, 2_191))))
                .hasSize(3);
        assertMalformed(plain, List.of(String.join(",", longest)));
    }

    /** Of so many characters. */
    private static String value(int number, int length) {
        String value = "1;exclusive;" + "%61".repeat(500) + number + ":";
        int left = length - value.length();
        return value + "%61".repeat(left / 3) + "a".repeat(left % 3);
    }

    /** Or the receiver would answer 400, after the call has done half of its work. */
    @Test
    void asManyCharactersAreSentAsAReceiverAcceptsThoughAProxyJoinsTheValues() {
        List<String> longest = plain.valuesOfHeld(List.of(held(8, SequencerHeader.MAX_LENGTH - 2 * 7)));
        assertThat(longest).hasSize(8);
        assertThat(plain.parse(List.of(String.join(", ", longest)))).hasSize(8);
        HeldLock tooLong = held(8, SequencerHeader.MAX_LENGTH - 2 * 7 + 1);
        assertThatIllegalStateException()
                .isThrownBy(() -> plain.valuesOfHeld(List.of(tooLong)))
                .withMessageContaining("do not fit into the header");
    }

    /** Of so many keys, whose values have so many characters in all. */
    private static HeldLock held(int keys, int length) {
        List<Sequencer> sequencers = IntStream.range(0, keys)
                .mapToObj(i -> LockKey.of("name".repeat(127) + i, "k".repeat((length + i) / keys - 12 - 509 - 1)))
                .map(key -> new Sequencer(key, LockMode.EXCLUSIVE, new FencingToken(1)))
                .toList();
        HeldLock held = mock(HeldLock.class);
        when(held.sequencers()).thenReturn(sequencers);
        return held;
    }

    @Test
    void withASecretOnlyItsSignatureIsAccepted() {
        Sequencer sequencer = new Sequencer(LockKey.of("a", "b"), LockMode.SHARED, new FencingToken(7));
        String value = signed.value(sequencer);
        assertThat(plain.parse(List.of(value))).containsValue(sequencer);
        assertMalformed(signed, List.of(plain.value(sequencer)));
        assertMalformed(signed, List.of(new SequencerHeader(List.of(SECRET + "x")).value(sequencer)));
        assertMalformed(signed, List.of(value.substring(0, value.length() - 1)));
        assertMalformed(signed, List.of(value.replace("7;", "8;")));
        assertMalformed(signed, List.of(value.replace("shared", "exclusive")));
        assertMalformed(signed, List.of(value.replace("a:b", "a:c")));
    }

    /** Senders and receivers are not updated at the same time. The expected value was computed by OpenSSL. */
    @Test
    void aSignatureIsTheSameInEachVersion() {
        Sequencer sequencer = new Sequencer(LockKey.of("a", "b"), LockMode.EXCLUSIVE, new FencingToken(7));
        assertThat(signed.value(sequencer)).isEqualTo("7;exclusive;a:b;qYFI4QhuSmCeXyjgPe9M0g-Y6AoZHgUPJsFvJwAif9k");
    }

    @Test
    void aShortSecretIsRefusedWithoutBeingShown() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new SequencerHeader(List.of("swordfish")))
                .withMessageContaining("has 9 characters: use at least 32")
                .satisfies(refusal -> assertThat(refusal.getMessage()).doesNotContain("swordfish"));
    }

    /** Receivers learn the new secret first, senders use it next, and then the old one goes. */
    @Test
    void theSecretCanBeChangedWhileRequestsArrive() {
        String later = "fedcba9876543210fedcba9876543210";
        Sequencer sequencer = new Sequencer(LockKey.of("a"), LockMode.EXCLUSIVE, new FencingToken(7));
        SequencerHeader both = new SequencerHeader(List.of(SECRET, later));
        SequencerHeader changed = new SequencerHeader(List.of(later));
        assertThat(both.value(sequencer)).isEqualTo(signed.value(sequencer));
        for (SequencerHeader sender : List.of(signed, changed)) {
            assertThat(both.parse(List.of(sender.value(sequencer)))).containsValue(sequencer);
        }
        assertMalformed(changed, List.of(signed.value(sequencer)));
        assertMalformed(both, List.of(plain.value(sequencer)));
        assertMalformed(both, List.of(new SequencerHeader(List.of(SECRET + "x")).value(sequencer)));
    }

    private static void assertMalformed(SequencerHeader header, List<String> values) {
        assertThatExceptionOfType(LockRequirementException.class)
                .isThrownBy(() -> header.parse(values))
                .satisfies(
                        refusal -> assertThat(refusal.getStatusCode().value()).isEqualTo(400));
    }
}
