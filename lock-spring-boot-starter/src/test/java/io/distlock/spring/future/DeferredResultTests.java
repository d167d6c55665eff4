package io.distlock.spring.future;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Results whose work would be done when the lock has been given back. */
class DeferredResultTests {

    private final ApplicationContextRunner runner = LockTestContext.manual();

    static class ReturnsStream {
        @DistributedLock
        public Stream<String> run() {
            return Stream.of();
        }
    }

    static class ReturnsIntStream {
        @DistributedLock
        public IntStream run() {
            return IntStream.of();
        }
    }

    static class ReturnsCallable {
        @DistributedLock
        public Callable<String> run() {
            return () -> "";
        }
    }

    static class ReturnsDeferredResult {
        @DistributedLock
        public DeferredResult<String> run() {
            return new DeferredResult<>();
        }
    }

    static class ReturnsWebAsyncTask {
        @DistributedLock
        public WebAsyncTask<String> run() {
            return new WebAsyncTask<>(() -> "");
        }
    }

    static class ReturnsStreamingBody {
        @DistributedLock
        public StreamingResponseBody run() {
            return out -> {};
        }
    }

    static class ReturnsResponseOfStreamingBody {
        @DistributedLock
        public ResponseEntity<StreamingResponseBody> run() {
            return ResponseEntity.ok(out -> {});
        }
    }

    static class ReturnsEmitter {
        @DistributedLock
        public ResponseBodyEmitter run() {
            return new ResponseBodyEmitter();
        }
    }

    static class ReturnsServerSentEvents {
        @DistributedLock
        public SseEmitter run() {
            return new SseEmitter();
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                ReturnsStream.class,
                ReturnsIntStream.class,
                ReturnsCallable.class,
                ReturnsDeferredResult.class,
                ReturnsWebAsyncTask.class,
                ReturnsStreamingBody.class,
                ReturnsResponseOfStreamingBody.class,
                ReturnsEmitter.class,
                ReturnsServerSentEvents.class
            })
    void workThatComesAfterTheReturnIsRefusedAtTheStart(Class<?> bean) {
        runner.withBean(bean)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOfSatisfying(InvalidLockedMethodsException.class, failure -> {
                            InvalidLockedMethodsException.Problem problem =
                                    failure.problems().get(0);
                            assertThat(problem.method()).isEqualTo(bean.getName() + ".run()");
                            assertThat(problem.attribute()).isEqualTo("return type");
                            assertThat(problem.problem()).contains("does its work after the method has returned");
                            assertThat(problem.cure()).isNotBlank();
                        }));
    }

    static class ReturnsDone {

        @DistributedLock
        public ResponseEntity<List<String>> response() {
            return ResponseEntity.ok(List.of());
        }

        @DistributedLock
        public Object anything(Object result) {
            return result;
        }
    }

    @Test
    void whatIsDoneAtTheReturnIsLeftAlone() {
        runner.withBean(ReturnsDone.class)
                .run(context -> assertThat(context.getBean(ReturnsDone.class).response())
                        .isEqualTo(ResponseEntity.ok(List.of())));
    }

    @Test
    void aStreamFromAMethodThatDeclaresObjectIsReported() {
        runner.withBean(ReturnsDone.class).run(context -> {
            ReturnsDone bean = context.getBean(ReturnsDone.class);
            assertThat(bean.anything(List.of())).isEqualTo(List.of());
            assertThatIllegalStateException()
                    .isThrownBy(() -> bean.anything(Stream.of("a")))
                    .withMessageContaining("whose work may continue");
        });
    }
}
