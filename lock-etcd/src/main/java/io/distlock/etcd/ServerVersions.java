package io.distlock.etcd;

import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Collections;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Asks servers for their versions, as many times as there are members, since calls take turns among them. The driver's
 * own way opens a channel for each question, so an application's own client is not asked. Thread-safe.
 */
final class ServerVersions {

    private final Optional<ChannelTap> tap;
    private final int members;
    private final Duration limit;

    ServerVersions(Optional<ChannelTap> tap, int members, Duration limit) {
        this.tap = tap;
        this.members = members;
        this.limit = limit;
    }

    /** Never fails: those that do not answer are left out. */
    CompletableFuture<NavigableSet<ServerVersion>> ask() {
        NavigableSet<ServerVersion> known = Collections.synchronizedNavigableSet(new TreeSet<>());
        CompletableFuture<NavigableSet<ServerVersion>> all = CompletableFuture.completedFuture(known);
        if (tap.isPresent()) {
            for (int member = 0; member < members; member++) {
                Answer answer = new Answer(known);
                tap.get()
                        .maintenance()
                        .withDeadlineAfter(limit.toNanos(), TimeUnit.NANOSECONDS)
                        .status(StatusRequest.getDefaultInstance(), answer);
                all = all.thenCombine(answer.over, (versions, over) -> versions);
            }
        }
        return all;
    }

    private record Answer(NavigableSet<ServerVersion> known, CompletableFuture<Boolean> over)
            implements StreamObserver<StatusResponse> {

        Answer(NavigableSet<ServerVersion> known) {
            this(known, new CompletableFuture<>());
        }

        @Override
        public void onNext(StatusResponse response) {
            ServerVersion.parse(response.getVersion()).ifPresent(known::add);
        }

        @Override
        public void onError(Throwable failure) {
            over.complete(false);
        }

        @Override
        public void onCompleted() {
            over.complete(true);
        }
    }
}
