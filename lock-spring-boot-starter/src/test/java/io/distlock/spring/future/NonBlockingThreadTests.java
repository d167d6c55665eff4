package io.distlock.spring.future;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.StringUtils;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Locked methods that are called on an event loop, or a thread like one. */
@ExtendWith(OutputCaptureExtension.class)
class NonBlockingThreadTests {

    private static final String WARNING = "which must not block";

    static class Jobs {

        @DistributedLock("job")
        public String blocking() {
            return "done";
        }

        @DistributedLock("job")
        public Mono<String> mono(Supplier<Mono<String>> body) {
            return body.get();
        }
    }

    @Test
    void aBlockingCallOnOneIsLoggedOnceWithTheCure(CapturedOutput output) {
        LockTestContext.inMemory().withBean(Jobs.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            for (int call = 0; call < 3; call++) {
                Mono.fromSupplier(jobs::blocking)
                        .subscribeOn(Schedulers.parallel())
                        .block();
            }
        });
        assertThat(StringUtils.countOccurrencesOf(output.getOut(), WARNING)).isEqualTo(1);
        assertThat(output.getOut())
                .contains("[job]")
                .contains("thread 'parallel-")
                .contains("Return a Mono");
    }

    @Test
    void callsThatMayBlockAndBodiesOfPublishersAreNot(CapturedOutput output) {
        LockTestContext.inMemory().withBean(Jobs.class).run(context -> {
            Jobs jobs = context.getBean(Jobs.class);
            jobs.blocking();
            Mono.fromSupplier(jobs::blocking)
                    .subscribeOn(Schedulers.boundedElastic())
                    .block();
            Mono<String> blocksInItsBody =
                    jobs.mono(() -> Mono.just(Schedulers.isInNonBlockingThread() ? "cannot block" : jobs.blocking()));
            assertThat(blocksInItsBody.subscribeOn(Schedulers.parallel()).block())
                    .isEqualTo("done");
        });
        assertThat(output.getOut()).doesNotContain(WARNING);
    }
}
