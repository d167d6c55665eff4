package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.distlock.LockKey;
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

    @Test
    void aPrefixThatDoesNotFitIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FenceTable("fence", "p".repeat(129)))
                .withMessageContaining("shorten it");
    }
}
