package io.distlock.etcd.client;

import io.distlock.etcd.client.ClientInterceptors.ChannelCapture;
import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.AlarmResponse;
import io.etcd.jetcd.api.MaintenanceGrpc.MaintenanceStub;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;

/**
 * Asks the cluster members for their state. All calls rotate among the members, so it asks more often than there
 * are members, and may still miss one. The driver's own status call opens a channel each time, so an application's own
 * client is not used. Thread-safe.
 */
public final class ClusterMembers {

    private static final int TURNS = 2;

    private final Optional<ChannelCapture> capture;
    private final int questions;
    private final Duration limit;

    public ClusterMembers(Optional<ChannelCapture> capture, int members, Duration limit) {
        this.capture = capture;
        this.questions = capture.isEmpty() ? 0 : members > 1 ? TURNS * members : 1;
        this.limit = limit;
    }

    /**
     * What one member reports about itself.
     *
     * @param id in hexadecimal digits, as etcdctl shows it
     */
    public record Member(String id, Optional<ServerVersion> version, boolean leads) {

        static Member of(StatusResponse status) {
            long id = status.getHeader().getMemberId();
            return new Member(hex(id), ServerVersion.parse(status.getVersion()), status.getLeader() == id);
        }

        @Override
        public String toString() {
            return (leads ? "leader" : "follower")
                    + version.map(known -> ", " + known).orElse("");
        }
    }

    /** Never fails: those that do not answer are left out. */
    public CompletableFuture<Collection<Member>> ask() {
        Map<String, Member> known = new ConcurrentSkipListMap<>();
        CompletableFuture<Collection<Member>> all = CompletableFuture.completedFuture(known.values());
        for (int question = 0; question < questions; question++) {
            Answer<StatusResponse> answer = new Answer<>();
            stub().status(StatusRequest.getDefaultInstance(), answer);
            all = all.thenCombine(answer, (members, said) -> {
                said.map(Member::of).ifPresent(member -> known.put(member.id(), member));
                return members;
            });
        }
        return all;
    }

    /** The alarms that block writes. Never fails: empty without an answer. */
    public CompletableFuture<List<String>> alarms() {
        if (capture.isEmpty()) {
            return CompletableFuture.completedFuture(List.of());
        }
        Answer<AlarmResponse> answer = new Answer<>();
        stub().alarm(
                        AlarmRequest.newBuilder()
                                .setAction(AlarmRequest.AlarmAction.GET)
                                .build(),
                        answer);
        return answer.thenApply(said -> said.map(AlarmResponse::getAlarmsList).orElseGet(List::of).stream()
                .map(alarm -> alarm.getAlarm() + " at " + hex(alarm.getMemberID()))
                .toList());
    }

    private MaintenanceStub stub() {
        return capture.orElseThrow().maintenance().withDeadlineAfter(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static String hex(long id) {
        return HexFormat.of().toHexDigits(id);
    }

    private static final class Answer<A> extends CompletableFuture<Optional<A>> implements StreamObserver<A> {

        @Override
        public void onNext(A response) {
            complete(Optional.of(response));
        }

        @Override
        public void onError(Throwable failure) {
            complete(Optional.empty());
        }

        @Override
        public void onCompleted() {
            complete(Optional.empty());
        }
    }
}
