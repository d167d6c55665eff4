package io.distlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a request for permits may say, and which locks they are. */
class LockRequestTests {

    private static final LockKey KEY = LockKey.of("imports");
    private static final LockRequest REQUEST = LockRequest.of(LockOptions.defaults(), List.of(KEY));

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 65})
    void permitsAreOneToSixtyFour(int permits) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> REQUEST.withPermits(permits))
                .withMessage(permits + " permits are out of range: choose a number from 1 to 64");
    }

    @Test
    void aSharedLockHasNoPermits() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> REQUEST.withPermits(2).withMode(LockMode.SHARED))
                .withMessageStartingWith("a shared lock has no permits");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> REQUEST.withMode(LockMode.SHARED).withPermits(2));
        assertThat(REQUEST.withMode(LockMode.SHARED).withPermits(1).mode()).isEqualTo(LockMode.SHARED);
    }

    @Test
    void permitsAreThoseOfOneKey() {
        LockRequest two = LockRequest.of(LockOptions.defaults(), List.of(KEY, LockKey.of("exports")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> two.withPermits(2))
                .withMessageStartingWith("a request for permits names one key, not 2");
    }

    @Test
    void aKeyMustHaveRoomForTheNumber() {
        LockKey longest = LockKey.of("imports", "k".repeat(LockKey.MAX_BYTES - 1));
        LockRequest request = LockRequest.of(LockOptions.defaults(), List.of(longest));
        assertThatIllegalArgumentException().isThrownBy(() -> request.withPermits(2));
        assertThat(request.withPermits(1).permits()).isEqualTo(1);
    }

    @Test
    void otherRefinementsKeepThePermits() {
        LockRequest refined = REQUEST.withPermits(3)
                .withMode(LockMode.EXCLUSIVE)
                .withWaitTime(Duration.ZERO)
                .withOptions(LockOptions.defaults());
        assertThat(refined.permits()).isEqualTo(3);
        assertThat(new LockRequest(List.of(KEY), LockMode.EXCLUSIVE, LockOptions.defaults()))
                .isEqualTo(refined.withPermits(1));
    }

    @Test
    void theFirstPermitIsTheKeyItselfAndTheOthersAreKeysOfItsName() {
        assertThat(KEY.permit(1)).isEqualTo(KEY);
        assertThat(KEY.permit(2)).hasToString("imports:#2");
        assertThat(LockKey.of("imports", "eu").permit(64)).hasToString("imports:eu#64");
        assertThat(LockKey.parse(KEY.permit(2).text())).isEqualTo(KEY.permit(2));
        assertThatIllegalArgumentException().isThrownBy(() -> KEY.permit(0));
    }
}
