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
 * Asks the members of the cluster for their state. All calls take turns among the members, so each question is asked more
 * often than there are members, and a member may still be missed. The driver's own way opens a channel for each question, so
 * an application's own client is not asked. Thread-safe.
 */
public final class ClusterMembers {

    private static final int TURNS = 2;

    private final Optional<ChannelCapture> capture;
    private final int members;
    private final Duration limit;

    public ClusterMembers(Optional<ChannelCapture> capture, int members, Duration limit) {
        this.capture = capture;
        this.members = members;
        this.limit = limit;
    }

    /**
     * What one member says of itself.
     *
     * @param id in hexadecimal digits, as etcdctl shows it
     * @param leads whether it is the leader
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
        int questions = capture.isPresent() && members > 1 ? TURNS * members : capture.isPresent() ? 1 : 0;
        for (int question = 0; question < questions; question++) {
            Answer<StatusResponse> answer = new Answer<>();
            stub().status(StatusRequest.getDefaultInstance(), answer);
            all = all.thenCombine(answer.over, (members, said) -> {
                said.map(Member::of).ifPresent(member -> known.put(member.id(), member));
                return members;
            });
        }
        return all;
    }

    /** What keeps the cluster from taking writes. Never fails: without an answer, nothing. */
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
        return answer.over.thenApply(said -> said.map(ClusterMembers::describe).orElseGet(List::of));
    }

    private static List<String> describe(AlarmResponse response) {
        return response.getAlarmsList().stream()
                .map(alarm -> alarm.getAlarm() + " at " + hex(alarm.getMemberID()))
                .toList();
    }

    private MaintenanceStub stub() {
        return capture.orElseThrow().maintenance().withDeadlineAfter(limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static String hex(long id) {
        return HexFormat.of().toHexDigits(id);
    }

    private static final class Answer<A> implements StreamObserver<A> {

        private final CompletableFuture<Optional<A>> over = new CompletableFuture<>();

        @Override
        public void onNext(A response) {
            over.complete(Optional.of(response));
        }

        @Override
        public void onError(Throwable failure) {
            over.complete(Optional.empty());
        }

        @Override
        public void onCompleted() {
            over.complete(Optional.empty());
        }
    }
}
