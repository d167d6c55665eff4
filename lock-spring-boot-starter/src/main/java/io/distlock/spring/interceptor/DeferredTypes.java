package io.distlock.spring.interceptor;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.core.ResolvableType;

/**
 * Types of results behind which work is still to be done, by somebody who knows of no lock: what a method returns as one
 * of these is computed when the lock has been given back. By name, since most belong to libraries that may be absent.
 */
final class DeferredTypes {

    private static final String ASYNC_REQUEST =
            "Return a CompletableFuture or a Mono, or lock the method that does the work when it is called from there";

    private static final String STREAMED_RESPONSE =
            "Lock the method that does the work when it is called while the response is written, or use LockTemplate"
                    + " there";

    private static final String LAZY = "Collect what it gives inside the method, and return a list";

    private static final Map<String, String> CURES = Map.of(
            "java.util.stream.BaseStream", LAZY,
            "kotlin.sequences.Sequence", LAZY,
            "java.util.concurrent.Callable", ASYNC_REQUEST,
            "org.springframework.web.context.request.async.DeferredResult", ASYNC_REQUEST,
            "org.springframework.web.context.request.async.WebAsyncTask", ASYNC_REQUEST,
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody", STREAMED_RESPONSE,
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter", STREAMED_RESPONSE);

    /** Around the body of a response, which is what counts. */
    private static final String RESPONSE = "org.springframework.http.HttpEntity";

    private static final ClassValue<Optional<String>> KNOWN = new ClassValue<>() {
        @Override
        protected Optional<String> computeValue(Class<?> type) {
            return supertypes(type)
                    .flatMap(each -> Optional.ofNullable(CURES.get(each.getName())).stream())
                    .findFirst();
        }
    };

    private DeferredTypes() {}

    /** What to do instead of returning such a type; empty if there is nothing wrong with it. */
    static Optional<String> cure(ResolvableType type) {
        Class<?> resolved = type.resolve(Object.class);
        boolean isResponse =
                supertypes(resolved).anyMatch(each -> each.getName().equals(RESPONSE));
        return cure(isResponse ? type.getGeneric().resolve(Object.class) : resolved);
    }

    static Optional<String> cure(Class<?> type) {
        return KNOWN.get(type);
    }

    /** With itself, and with the interfaces above its interfaces. */
    private static Stream<Class<?>> supertypes(Class<?> type) {
        Class<?> superclass = type.getSuperclass();
        Stream<Class<?>> above = superclass == null ? Stream.of() : supertypes(superclass);
        Stream<Class<?>> beside = Arrays.stream(type.getInterfaces()).flatMap(DeferredTypes::supertypes);
        return Stream.concat(Stream.of(type), Stream.concat(above, beside));
    }
}
