package io.distlock.etcd.client;

import io.grpc.CallCredentials;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The token of all calls. One call asks for it, and the others wait: the driver asks for each call that finds none, and etcd
 * computes a slow password hash each time. If there is no answer within the timeout of a call, the next one asks as well, since a
 * member may be frozen. Thread-safe.
 */
final class SharedToken extends CallCredentials {

    private final CallCredentials driver;
    private final Duration callTimeout;

    // Guarded by the monitor.
    private final List<MetadataApplier> waiting = new ArrayList<>();
    private @Nullable Deadline asking;

    SharedToken(CallCredentials driver, Duration callTimeout) {
        this.driver = driver;
        this.callTimeout = callTimeout;
    }

    @Override
    public void applyRequestMetadata(RequestInfo call, Executor executor, MetadataApplier applier) {
        synchronized (this) {
            waiting.add(applier);
            if (asking != null && !asking.isExpired()) {
                return;
            }
            asking = Deadline.after(callTimeout.toNanos(), TimeUnit.NANOSECONDS);
        }
        driver.applyRequestMetadata(call, executor, new MetadataApplier() {
            @Override
            public void apply(Metadata token) {
                answered(each -> each.apply(token));
            }

            @Override
            public void fail(Status status) {
                answered(each -> each.fail(status));
            }
        });
    }

    private void answered(Consumer<MetadataApplier> answer) {
        List<MetadataApplier> all;
        synchronized (this) {
            asking = null;
            all = new ArrayList<>(waiting);
            waiting.clear();
        }
        all.forEach(answer);
    }
}
