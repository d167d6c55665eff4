package io.distlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockKeyTests {

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t\n"})
    void aBlankNameOrKeyIsRefused(String blank) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockKey.of(blank))
                .withMessageContaining("lock name")
                .withMessageContaining("is blank");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockKey.of("orders", blank))
                .withMessageContaining("lock key")
                .withMessageContaining("is blank");
    }

    @Test
    void nullIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> LockKey.of(null)).withMessageContaining("is null");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockKey.of("orders", null))
                .withMessageContaining("lock key is null");
    }

    @Test
    void theLimitIsCountedInBytesOfUtf8() {
        assertThat(LockKey.of("x".repeat(512)).name()).hasSize(512);
        assertThat(LockKey.of("ä".repeat(256)).name()).hasSize(256);
        assertThat(LockKey.of("𝄞".repeat(128)).name()).hasSize(256);
        assertThat(LockKey.of("\u07ff".repeat(256)).name()).hasSize(256);
        assertThat(LockKey.of("\uffff".repeat(170)).name()).hasSize(170);
        for (String tooLong : List.of(
                "x".repeat(513),
                "ä".repeat(257),
                "\u0800".repeat(171),
                "\ud800\udc00".repeat(129),
                "𝄞".repeat(129),
                "x".repeat(100_000))) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> LockKey.of("orders", tooLong))
                    .withMessageContaining("at most 512")
                    .satisfies(refused -> assertThat(refused.getMessage()).hasSizeLessThan(300));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\u0000b", "a\nb", "a\u007fb", "a\u0085b"})
    void aControlCharacterIsRefusedAndShownAsAnEscape(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockKey.of(name))
                .withMessageContaining("control character at index 1")
                .withMessageContaining("\\u00");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\ud834", "a\udd1eb", "a\ud800", "a\udfff"})
    void aLoneSurrogateIsRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockKey.of(name))
                .withMessageContaining("lone surrogate at index 1");
    }

    @Test
    void aMessageShowsTheFirstSixtyCharactersOfAValue() {
        String sixty = "\n".repeat(60);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockKey.of(sixty))
                .withMessageContaining("\"" + "\\u000a".repeat(60) + "\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockKey.of(sixty + "\n"))
                .withMessageContaining("\"" + "\\u000a".repeat(60) + "…\"");
    }

    @Test
    void aTextWithAnEmptyPartIsNoKey() {
        for (String text : List.of(":42", "orders:", ":")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> LockKey.parse(text))
                    .withMessageContaining("is blank");
        }
    }

    @Test
    void anItemThatIsNullIsRefusedWithTheCure() {
        assertThatNullPointerException()
                .isThrownBy(() -> new LockKey("orders", null))
                .withMessageContaining("use Optional.empty() for none");
    }

    @Test
    void theOrderIsByNameAndThenByKeyTheNameAloneFirst() {
        List<LockKey> inOrder =
                List.of(LockKey.of("a"), LockKey.of("a", "a"), LockKey.of("a", "b"), LockKey.of("aa"), LockKey.of("b"));
        List<LockKey> sorted = new ArrayList<>(inOrder);
        Collections.reverse(sorted);
        Collections.sort(sorted);
        assertThat(sorted).isEqualTo(inOrder);
    }

    @Test
    void keysThatLookAlikeHaveDifferentTexts() {
        List<LockKey> keys = List.of(
                LockKey.of("a"),
                LockKey.of("a/b"),
                LockKey.of("a:b"),
                LockKey.of("a", "b"),
                LockKey.of("a%3Ab"),
                LockKey.of("{x}"),
                LockKey.of("x"),
                LockKey.of("x y"),
                LockKey.of("x", "y:z"),
                LockKey.of("x:y", "z"));
        assertThat(keys.stream().map(LockKey::text)).doesNotHaveDuplicates();
        assertThat(keys).allSatisfy(key -> {
            assertThat(key.text()).doesNotContain("/", "{", "}", " ");
            assertThat(LockKey.parse(key.text())).isEqualTo(key);
        });
    }

    @Test
    void theTextStaysReadable() {
        assertThat(LockKey.of("orders", "42")).hasToString("orders:42");
        assertThat(LockKey.of("Bestellung-ä")).hasToString("Bestellung-ä");
    }
}
