package io.distlock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockStatus.Holder;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who it says in the store. */
class OwnersTests {

    @Test
    void theInstanceStandsFirst() {
        assertThat(instance("orders@web-1.4711")).contains("orders@web-1.4711");
    }

    @Test
    void whatAStoreMightDivideAtIsReplaced() {
        assertThat(new Owners("or/ders:1~é@web 1").next()).startsWith("or_ders_1__@web_1~");
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
        Owners one = new Owners("orders");
        Owners other = new Owners("orders");
        Set<String> owners = new HashSet<>();
        for (int acquisition = 0; acquisition < 100; acquisition++) {
            owners.add(one.next());
            owners.add(other.next());
        }
        assertThat(owners).hasSize(200);
    }

    private static Optional<String> instance(String instance) {
        return new Holder(new Owners(instance).next(), Optional.empty(), Optional.empty()).instance();
    }
}
