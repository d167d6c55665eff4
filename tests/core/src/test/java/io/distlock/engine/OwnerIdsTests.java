package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockStatus.Holder;
import io.distlock.test.time.ManualTicker;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Who it says in the store. */
class OwnerIdsTests {

    @Test
    void theInstanceStandsFirst() {
        assertThat(instance("orders@web-1.4711")).contains("orders@web-1.4711");
    }

    @Test
    void whatAStoreMightDivideAtIsReplaced() {
        assertThat(owners("or/ders:1~é@web 1").next()).startsWith("or_ders_1__@web_1~");
    }

    @Test
    void aLongInstanceIsCut() {
        assertThat(instance("a".repeat(1_000))).contains("a".repeat(100));
    }

    @Test
    void withoutAnInstanceThereIsNone() {
        assertThat(instance("")).isEmpty();
    }

    @Test
    void ownersOfOneInstanceDiffer() {
        OwnerIds one = owners("orders");
        OwnerIds other = owners("orders");
        Set<String> owners = new HashSet<>();
        for (int acquisition = 0; acquisition < 100; acquisition++) {
            owners.add(one.next());
            owners.add(other.next());
        }
        assertThat(owners).hasSize(200);
    }

    /** As of a process that is started from a snapshot of its memory, more than once. */
    @Test
    void theCopiesOfAProcessMakeDifferentOwners() throws IllegalAccessException {
        OwnerIds image = owners("orders");
        image.next();
        OwnerIds copy = owners("orders");
        for (Field field : OwnerIds.class.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                field.setAccessible(true);
                Object value = field.get(image);
                field.set(copy, value instanceof AtomicLong counter ? new AtomicLong(counter.get()) : value);
            }
        }
        assertThat(copy.next()).isNotEqualTo(image.next());
    }

    @Test
    void copiesThatHaveReadTheSameRandomBytesDifferByTheirClocks() {
        ManualTicker later = new ManualTicker();
        later.advance(Duration.ofNanos(1));
        OwnerIds image = new OwnerIds("orders", new ManualTicker(), new CopiedRandom());
        OwnerIds copy = new OwnerIds("orders", later, new CopiedRandom());
        assertThat(copy.next()).isNotEqualTo(image.next());
    }

    private static final class CopiedRandom extends SecureRandom {

        private static final long serialVersionUID = 1L;

        @Override
        public void nextBytes(byte[] bytes) {
            Arrays.fill(bytes, (byte) 7);
        }
    }

    @Test
    void randomBitsComeFromTheKernelAndNotFromAGeneratorThatIsSeededOnce() {
        assertThat(OwnerIds.kernel().getAlgorithm()).isIn("NativePRNGNonBlocking", "Windows-PRNG");
    }

    @Test
    void anOwnerIsVisibleAsciiThatNoStoreDividesAt() {
        assertThat(owners("orders@web-1.4711").next()).matches("orders@web-1\\.4711~[0-9a-f]{32}");
        assertThat(owners("").next()).matches("[0-9a-f]{32}");
    }

    private static OwnerIds owners(String instance) {
        return new OwnerIds(instance, new ManualTicker(), OwnerIds.kernel());
    }

    private static Optional<String> instance(String instance) {
        return new Holder(owners(instance).next(), Optional.empty(), Optional.empty()).instance();
    }
}
