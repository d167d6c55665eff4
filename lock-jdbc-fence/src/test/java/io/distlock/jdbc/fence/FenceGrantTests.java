package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.FencingToken;
import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.Sequencer;
import io.distlock.fencing.StaleFencingTokenException;
import io.distlock.jdbc.fence.FenceGrant.Row;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the rows say of a grant: of its own lock, and of all that were removed. */
class FenceGrantTests {

    private static final FenceTable TABLE = new FenceTable("fence", "lock");
    private static final String SOURCE = TABLE.source("redis");
    private static final String OTHER = TABLE.source("etcd");

    private static FenceGrant grant(String name, LockMode mode, long token) {
        return FenceGrant.of(new Sequencer(LockKey.of(name), mode, new FencingToken(token)), TABLE, "redis");
    }

    private static Row row(long token, String source) {
        return new Row(TABLE.key(LockKey.of("a")), token, source);
    }

    private static Row floor(long token, String source) {
        return new Row(FenceTable.floorOf(source), token, source);
    }

    private static Map<String, Row> rows(Row... rows) {
        Map<String, Row> all = new HashMap<>();
        List.of(rows).forEach(each -> all.put(each.key(), each));
        return all;
    }

    private static void assertStale(FenceGrant grant, String seen, Row... rows) {
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> grant.requireNewest(rows(rows)))
                .withMessageContaining("the database has seen " + seen);
    }

    @ParameterizedTest
    @EnumSource(LockMode.class)
    void theNewestOfItsRowPassesAndEveryEarlierOneIsStale(LockMode mode) {
        assertThatCode(() -> grant("a", mode, 7).requireNewest(rows())).doesNotThrowAnyException();
        assertThatCode(() -> grant("a", mode, 7).requireNewest(rows(row(6, SOURCE))))
                .doesNotThrowAnyException();
        assertThatCode(() -> grant("a", mode, 7).requireNewest(rows(row(7, SOURCE))))
                .doesNotThrowAnyException();
        assertStale(grant("a", mode, 7), "token 8", row(8, SOURCE));
    }

    /** Its own row was removed, or never was there. A removed one had at most the token of the floor. */
    @ParameterizedTest
    @EnumSource(LockMode.class)
    void withoutARowOnlyWhatIsAboveTheFloorPasses(LockMode mode) {
        assertStale(grant("a", mode, 6), "token 7", floor(7, SOURCE));
        assertStale(grant("a", mode, 7), "token 7", floor(7, SOURCE));
        assertThatCode(() -> grant("a", mode, 8).requireNewest(rows(floor(7, SOURCE))))
                .doesNotThrowAnyException();
        assertThatCode(() -> grant("a", mode, 7).requireNewest(rows(floor(9, OTHER))))
                .doesNotThrowAnyException();
    }

    @Test
    void theLargerOfRowAndFloorIsNamed() {
        assertStale(grant("a", LockMode.EXCLUSIVE, 5), "token 9", row(6, SOURCE), floor(9, SOURCE));
        assertStale(grant("a", LockMode.EXCLUSIVE, 5), "token 9", row(9, SOURCE), floor(6, SOURCE));
    }

    /** A statement found a newer row, which this transaction's snapshot does not show. */
    @Test
    void aTokenThatIsNotSeenIsNotNamed() {
        assertThatExceptionOfType(StaleFencingTokenException.class)
                .isThrownBy(() -> grant("a", LockMode.EXCLUSIVE, 7).refuse(rows(row(6, SOURCE))))
                .withMessageContaining("the database has seen a later token");
    }

    @Test
    void tokensOfAnotherSourceAreNotCompared() {
        assertThatIllegalStateException()
                .isThrownBy(() -> grant("a", LockMode.EXCLUSIVE, 7).requireNewest(rows(row(1, OTHER))))
                .withMessageContaining("cannot be compared");
    }

    /** Two transactions that use the same locks would wait for each other. */
    @Test
    void grantsAreInTheOrderOfTheirKeysAndALaterOneTakesThePlaceOfAnEarlierOne() {
        Set<FenceGrant> grants = new LinkedHashSet<>();
        FenceGrant a = grant("a", LockMode.EXCLUSIVE, 9);
        FenceGrant b = grant("b", LockMode.EXCLUSIVE, 2);
        FenceGrant c = grant("c", LockMode.SHARED, 1);
        List.of(c, grant("a", LockMode.EXCLUSIVE, 3), b, a).forEach(each -> each.replaceIn(grants));
        assertThat(FenceGrant.inOrder(grants)).containsExactly(a, b, c);
    }
}
