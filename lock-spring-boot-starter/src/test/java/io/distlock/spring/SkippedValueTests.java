package io.distlock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.HeldLock;
import io.distlock.LockClient;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a skipped call returns: nothing, said by an empty value where the type has one. */
class SkippedValueTests {

    @DistributedLock(name = "busy", onNotAcquired = OnNotAcquired.SKIP)
    static class Jobs {

        public List<String> list() {
            return List.of("ran");
        }

        @SuppressWarnings("NonApiType") // just that is tested
        public ArrayList<String> arrayList() {
            return new ArrayList<>();
        }

        public Set<String> set() {
            return Set.of("ran");
        }

        public SortedSet<String> sortedSet() {
            throw new AssertionError();
        }

        public Collection<String> collection() {
            return List.of("ran");
        }

        public Iterable<String> iterable() {
            return List.of("ran");
        }

        @SuppressWarnings({"NonApiType", "JdkObsolete"}) // just that is tested
        public LinkedList<String> linkedList() {
            throw new AssertionError();
        }

        public PriorityQueue<String> priorityQueue() {
            throw new AssertionError();
        }

        public CopyOnWriteArrayList<String> copyOnWrite() {
            throw new AssertionError();
        }

        public Map<String, String> map() {
            return Map.of("it", "ran");
        }

        @SuppressWarnings("NonApiType") // just that is tested
        public HashMap<String, String> hashMap() {
            return new LinkedHashMap<>();
        }

        public SortedMap<String, String> sortedMap() {
            throw new AssertionError();
        }

        public int[] numbers() {
            return new int[1];
        }

        public String[][] texts() {
            return new String[1][1];
        }

        public Optional<List<String>> optional() {
            return Optional.of(List.of());
        }

        public CompletableFuture<List<String>> future() {
            return CompletableFuture.completedFuture(List.of("ran"));
        }

        public CompletableFuture<Stream<String>> stream() {
            return CompletableFuture.completedFuture(Stream.of("ran"));
        }

        public Mono<List<String>> mono() {
            return Mono.just(List.of("ran"));
        }

        public Flux<String> flux() {
            return Flux.just("ran");
        }

        public String text() {
            return "ran";
        }

        public Object object() {
            return "ran";
        }

        public Serializable serializable() {
            return "ran";
        }
    }

    private interface Check {

        void with(Jobs jobs) throws Exception;
    }

    private static void whileBusy(Check check) {
        LockTestContext.manual().withBean(Jobs.class).run(context -> {
            LockClient other = LockTestContext.another(context);
            try (HeldLock held = other.acquire(other.request("busy"))) {
                assertThat(held.isHeld()).isTrue();
                check.with(context.getBean(Jobs.class));
            }
        });
    }

    @Test
    void aCollectionIsEmpty() {
        whileBusy(jobs -> {
            assertThat(jobs.list()).isNotNull().isEmpty();
            assertThat(jobs.arrayList()).isNotNull().isEmpty();
            assertThat(jobs.set()).isNotNull().isEmpty();
            assertThat(jobs.sortedSet()).isNotNull().isEmpty();
            assertThat(jobs.collection()).isNotNull().isEmpty();
            assertThat(jobs.iterable()).isNotNull().isEmpty();
            assertThat(jobs.linkedList()).isNotNull().isEmpty();
            assertThat(jobs.priorityQueue()).isNotNull().isEmpty();
            assertThat(jobs.copyOnWrite()).isNotNull().isEmpty();
        });
    }

    @Test
    void aMapIsEmpty() {
        whileBusy(jobs -> {
            assertThat(jobs.map()).isNotNull().isEmpty();
            assertThat(jobs.hashMap()).isNotNull().isEmpty();
            assertThat(jobs.sortedMap()).isNotNull().isEmpty();
        });
    }

    @Test
    void anArrayIsEmpty() {
        whileBusy(jobs -> {
            assertThat(jobs.numbers()).isNotNull().isEmpty();
            assertThat(jobs.texts()).isNotNull().isEmpty();
        });
    }

    @Test
    void eachCallerMayFillItsOwn() {
        whileBusy(jobs -> {
            jobs.list().add("mine");
            assertThat(jobs.list()).isEmpty();
        });
    }

    @Test
    void aFutureGivesAnEmptyCollection() {
        whileBusy(jobs -> {
            assertThat(jobs.future().get()).isNotNull().isEmpty();
            assertThat(jobs.stream().get()).isNotNull().isEmpty();
        });
    }

    @Test
    void anOptionalAndAPublisherAreEmptyThemselves() {
        whileBusy(jobs -> {
            assertThat(jobs.optional()).isEmpty();
            assertThat(jobs.mono().blockOptional()).isEmpty();
            assertThat(jobs.flux().collectList().block()).isEmpty();
        });
    }

    @Test
    void anyOtherReferenceIsNull() {
        whileBusy(jobs -> {
            assertThat(jobs.text()).isNull();
            assertThat(jobs.object()).isNull();
            assertThat(jobs.serializable()).isNull();
        });
    }
}
