package io.distlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockKey;
import io.distlock.LockMode;
import io.distlock.LockStatus;
import io.distlock.jdbc.LockRow.Reader;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a row says at a moment: seconds before and after it. */
class LockRowTests {

    private static final long NOW = 1_000_000_000;
    private static final LockKey KEY = LockKey.of("report");

    /** Ends so many seconds from now. */
    private static long in(int seconds) {
        return NOW + seconds * 1_000_000L;
    }

    private static LockRow row(int holderSeconds, int readerSeconds, int writerSeconds) {
        return new LockRow(
                "holder",
                7,
                in(holderSeconds),
                readerSeconds > -100 ? "reader:6:" + in(readerSeconds) : "",
                in(readerSeconds),
                "writer",
                in(writerSeconds),
                NOW);
    }

    @Test
    void aHolderHoldsItUntilItsLeaseIsOver() {
        assertThat(row(1, -1, -1).isHeldBy("holder")).isTrue();
        assertThat(row(1, -1, -1).isHeldBy("reader")).isFalse();
        assertThat(row(0, -1, -1).isHeldBy("holder")).isFalse();
        assertThat(row(1, -1, -1).mode()).contains(LockMode.EXCLUSIVE);
        assertThat(row(0, 1, -1).mode()).contains(LockMode.SHARED);
        assertThat(row(0, 0, 1).mode()).isEmpty();
    }

    @Test
    void aHolderAndAWriterThatWaitsKeepReadersOut() {
        assertThat(row(1, -1, -1).excludesReaders()).isTrue();
        assertThat(row(-1, -1, 1).excludesReaders()).isTrue();
        assertThat(row(0, 5, 0).excludesReaders()).isFalse();
    }

    @Test
    void aReaderWaitsForTheHolderAndTheWriterAndAWriterForTheHolderAndTheReaders() {
        assertThat(row(5, -1, -1).freeIn(LockMode.SHARED)).isEqualTo(Duration.ofSeconds(5));
        assertThat(row(5, -1, -1).freeIn(LockMode.EXCLUSIVE)).isEqualTo(Duration.ofSeconds(5));
        assertThat(row(-1, 3, 4).freeIn(LockMode.SHARED)).isEqualTo(Duration.ofSeconds(4));
        assertThat(row(-1, 3, 4).freeIn(LockMode.EXCLUSIVE)).isEqualTo(Duration.ofSeconds(3));
        assertThat(row(-1, -1, -1).freeIn(LockMode.EXCLUSIVE)).isZero();
    }

    @Test
    void theNextToExpireIsTheFirstThatHasNotYet() {
        assertThat(row(5, 3, 4).nextExpiry()).contains(Duration.ofSeconds(3));
        assertThat(row(5, 7, 6).nextExpiry()).contains(Duration.ofSeconds(5));
        assertThat(row(0, -3, 6).nextExpiry()).contains(Duration.ofSeconds(6));
        assertThat(row(0, 0, 0).nextExpiry()).isEmpty();
    }

    @Test
    void renewingIsNoNewsAndEachOtherChangeIs() {
        LockRow.News before = row(5, -1, -1).news();
        assertThat(row(9, -1, -1).news()).isEqualTo(before);
        assertThat(row(0, -1, -1).news()).isNotEqualTo(before);
        assertThat(row(5, -1, 1).news()).isNotEqualTo(before);
        assertThat(row(5, 1, -1).news()).isNotEqualTo(before);
        assertThat(row(5, 2, -1).news()).isEqualTo(row(5, 1, -1).news());
        assertThat(new LockRow("holder", 8, in(5), "", 0, "", 0, NOW).news())
                .as("a later grant to the same owner")
                .isNotEqualTo(before);
    }

    @Test
    void readersThatHaveExpiredDoNotHoldIt() {
        String readers = Reader.text(List.of(new Reader("gone", 5, in(0)), new Reader("there", 6, in(1))));
        LockRow row = new LockRow("", 6, 0, readers, in(1), "", 0, NOW);
        assertThat(row.current()).containsExactly(new Reader("there", 6, in(1)));
        assertThat(row.holder(5)).isEmpty();
        assertThat(row.holder(6)).contains(new Reader("there", 6, in(1)));
        LockStatus status = row.status(KEY).orElseThrow();
        assertThat(status.mode()).isEqualTo(LockMode.SHARED);
        assertThat(status.holders()).singleElement().satisfies(holder -> {
            assertThat(holder.owner()).isEqualTo("there");
            assertThat(holder.remaining()).contains(Duration.ofSeconds(1));
        });
    }

    @Test
    void aKeptLockHasAHolderThatCannotBeReleased() {
        LockRow kept = new LockRow("holder" + LockRow.KEPT, 7, in(5), "", 0, "", 0, NOW);
        assertThat(kept.holder(7)).isEmpty();
        assertThat(row(5, -1, -1).holder(7)).isPresent();
        assertThat(row(5, -1, -1).holder(6)).isEmpty();
        assertThat(kept.status(KEY).orElseThrow().holders())
                .extracting(LockStatus.Holder::owner)
                .containsExactly("kept");
    }

    @Test
    void aReadersLeaseIsExtendedAndNeverShortened() {
        Reader reader = new Reader("reader", 6, 100);
        assertThat(reader.until(200)).isEqualTo(new Reader("reader", 6, 200));
        assertThat(reader.until(50)).isEqualTo(reader);
    }
}
