package io.distlock.spring.startup;

import static org.assertj.core.api.Assertions.assertThat;

import io.distlock.LockUnavailableException;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockTestContext;
import io.distlock.spring.OnNotAcquired;
import io.distlock.spring.interceptor.InvalidLockedMethodsException;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Fallbacks that do not fit are found when the context starts. */
class FallbackMistakesTests {

    static class Missing {
        @DistributedLock(onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "nowhere")
        public String run(long id) {
            return "";
        }
    }

    static class NotNamed {
        @DistributedLock(onNotAcquired = OnNotAcquired.FALLBACK)
        public void run() {}
    }

    static class NeverCalled {
        @DistributedLock(fallbackMethod = "instead")
        public void run() {}

        void instead() {}
    }

    @SuppressWarnings("unused") // by their names
    static class OtherParameters {
        @DistributedLock(onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "instead")
        public String run(long id) {
            return "";
        }

        String instead(String id) {
            return "";
        }

        String instead(long id, String other) {
            return "";
        }

        String instead(long id, Exception tooWide) {
            return "";
        }
    }

    @SuppressWarnings("unused") // by its name
    static class OnlyForASilentStore {
        @DistributedLock(onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "instead")
        public String run(long id) {
            return "";
        }

        String instead(long id, LockUnavailableException why) {
            return "";
        }
    }

    @SuppressWarnings("unused") // by its name
    static class OtherReturnType {
        @DistributedLock(onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "instead")
        public List<String> run() {
            return List.of();
        }

        List<Integer> instead() {
            return List.of();
        }
    }

    @SuppressWarnings("unused") // by its name
    static class WrapperForPrimitive {
        @DistributedLock(onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "instead")
        public int run() {
            return 0;
        }

        Integer instead() {
            return null;
        }
    }

    @SuppressWarnings("unused") // by its name
    static class MoreExceptions {
        @DistributedLock(onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "instead")
        public String run() {
            return "";
        }

        String instead() throws IOException {
            return "";
        }
    }

    static List<Arguments> mistakes() {
        return List.of(
                Arguments.of(Missing.class, "no method 'nowhere' has the parameters", "nowhere(long, LockNotAcquired"),
                Arguments.of(NotNamed.class, "FALLBACK without a fallbackMethod", "Give both"),
                Arguments.of(NeverCalled.class, "'instead' would never be called", "Give both"),
                Arguments.of(OtherParameters.class, "found ", "Declare in the same class instead(long)"),
                Arguments.of(OnlyForASilentStore.class, "takes a LockNotAcquiredException", "instead(long)"),
                Arguments.of(OtherReturnType.class, "does not fit this method", "java.util.List<java.lang.Str"),
                Arguments.of(WrapperForPrimitive.class, "does not fit this method", "Let it return int"),
                Arguments.of(MoreExceptions.class, "throws java.io.IOException", "Declare it on both"));
    }

    @ParameterizedTest
    @MethodSource("mistakes")
    void aFallbackThatDoesNotFitEndsTheStart(Class<?> bean, String problem, String cure) {
        LockTestContext.manual()
                .withBean(bean)
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOfSatisfying(
                                InvalidLockedMethodsException.class,
                                failure -> assertThat(failure.problems())
                                        .singleElement()
                                        .satisfies(found -> {
                                            assertThat(found.attribute())
                                                    .containsAnyOf("fallbackMethod", "onNotAcquired");
                                            assertThat(found.problem()).contains(problem);
                                            assertThat(found.cure()).contains(cure);
                                        })));
    }
}
