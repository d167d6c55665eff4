package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distlock.LockKey;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FenceTableTests {

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a;drop table x", "\"a\"", "a.b.c", "1a", "a.", "ä"})
    void whatMightNeedQuotesIsRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FenceTable(name, "lock"))
                .withMessageContaining("\"" + name + "\" is not a table name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fence", "Fence_2", "_f", "app.fence"})
    void plainNamesAreAccepted(String name) {
        assertThat(new FenceTable(name, "lock").name()).isEqualTo(name);
    }

    @Test
    void aLongKeyIsCutWithoutMeetingAnother() {
        FenceTable table = new FenceTable("fence", "lock");
        LockKey one = LockKey.of("a".repeat(500), "b".repeat(500));
        LockKey other = LockKey.of("a".repeat(500), "b".repeat(499) + "c");
        assertThat(table.key(one)).hasSize(512).isNotEqualTo(table.key(other));
        // No key has a brace that is not encoded, so none has the form of the digest and prefix.
        assertThat(table.key(LockKey.of(table.key(one)))).isNotEqualTo(table.key(one));
    }

    /** Where the prefix does not fit, only the digest tells them apart. */
    @Test
    void aLongKeyUnderAnotherPrefixIsAnotherRow() {
        LockKey longest = LockKey.of("a".repeat(500), "b".repeat(500));
        assertThat(new FenceTable("fence", "lock").key(longest))
                .isNotEqualTo(new FenceTable("fence", "other").key(longest));
    }

    @Test
    void aKeyThatFitsWithoutItsPrefixIsCutWithIt() {
        LockKey fitting = LockKey.of("a".repeat(250), "b".repeat(150));
        assertThat(new FenceTable("fence", "p".repeat(128)).key(fitting))
                .startsWith(fitting.text() + "{ppp")
                .hasSize(512);
    }

    @Test
    void aKeyThatJustFitsIsNotCut() {
        FenceTable table = new FenceTable("fence", "lock");
        LockKey longest = LockKey.of("a".repeat(300), "b".repeat(205));
        assertThat(table.key(longest)).isEqualTo(longest.text() + "{lock}").hasSize(512);
        assertThat(table.key(LockKey.of("a".repeat(300), "b".repeat(206)))).doesNotContain("{lock}");
    }

    /** Databases refuse a text with half a character. */
    @ParameterizedTest
    @ValueSource(ints = {127, 128})
    void aLongKeyIsCutBetweenTwoCharacters(int characters) {
        String smile = "\uD83D\uDE00";
        LockKey smiling = LockKey.of(smile.repeat(128), "b".repeat(128 - characters) + smile.repeat(characters));
        String key = new FenceTable("fence", "lock").key(smiling);
        assertThat(StandardCharsets.UTF_8.newEncoder().canEncode(key)).isTrue();
        assertThat(key.length()).isBetween(511, 512);
    }

    /** The source of a removed row's token is a key as well. */
    @Test
    void aProviderWhoseFloorDoesNotFitIsRefused() {
        FenceTable table = new FenceTable("fence", "p".repeat(128));
        assertThat(FenceTable.floorOf(table.source("r".repeat(119)))).hasSize(255);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> table.source("r".repeat(120)))
                .withMessageContaining("too long for a fence");
    }

    @Test
    void aPrefixThatDoesNotFitIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FenceTable("fence", "p".repeat(129)))
                .withMessageContaining("shorten it");
    }
}
