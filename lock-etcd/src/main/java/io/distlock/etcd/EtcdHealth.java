package io.distlock.etcd;

import io.distlock.etcd.client.ClientInterceptors.ChannelCapture;
import io.distlock.etcd.client.EtcdCallException;
import io.distlock.etcd.client.EtcdCalls;
import io.distlock.etcd.client.ServerVersion;
import io.distlock.spi.ProviderStatus;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.AlarmResponse;
import io.etcd.jetcd.api.MaintenanceGrpc.MaintenanceStub;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.etcd.jetcd.options.GetOption;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The state of etcd and its members, for health checks; warns once about servers that may revoke held locks. The driver's own
 * status call opens a channel each time, so the members are not asked through an application's client. Thread-safe.
 */
record EtcdHealth(
        EtcdCalls calls,
        ByteSequence anyKey,
        EtcdConnection connection,
        Duration limit,
        SessionPool sessions,
        ServerVersion.Warning warning) {

    /** As {@link io.distlock.spi.LockProvider#check}. */
    CompletableFuture<ProviderStatus> check() {
        return ask().exceptionally(EtcdHealth::down);
    }

    /** A read that only a majority of members can answer; fails without an answer. */
    CompletableFuture<ProviderStatus> ask() {
        return calls.get(anyKey, GetOption.builder().withCountOnly(true).build())
                .thenCompose(found -> connection
                        .capture()
                        .map(this::askMembers)
                        .orElseGet(() -> CompletableFuture.completedFuture(status(Map.of(), Optional.empty()))));
    }

    /** Those that do not answer are left out. */
    private CompletableFuture<ProviderStatus> askMembers(ChannelCapture driver) {
        MaintenanceStub stub = driver.maintenance().withDeadlineAfter(limit.toNanos(), TimeUnit.NANOSECONDS);
        CompletableFuture<Map<String, StatusResponse>> members = CompletableFuture.completedFuture(new TreeMap<>());
        // All calls rotate among the members. So there are more questions, and one member may still be missed.
        int questions = connection.members() > 1 ? 2 * connection.members() : 1;
        for (int question = 0; question < questions; question++) {
            Answer<StatusResponse> answer = new Answer<>();
            stub.status(StatusRequest.getDefaultInstance(), answer);
            members = members.thenCombine(answer, (known, said) -> {
                said.ifPresent(member -> known.put(hex(member.getHeader().getMemberId()), member));
                return known;
            });
        }
        Answer<AlarmResponse> alarms = new Answer<>();
        stub.alarm(
                AlarmRequest.newBuilder()
                        .setAction(AlarmRequest.AlarmAction.GET)
                        .build(),
                alarms);
        return members.thenCombine(alarms, this::status);
    }

    private ProviderStatus status(Map<String, StatusResponse> known, Optional<AlarmResponse> answered) {
        warning.lookAt(known.values().stream()
                .flatMap(member -> ServerVersion.parse(member.getVersion()).stream())
                .toList());
        Map<String, Object> details = new TreeMap<>();
        Map<String, Object> members = new TreeMap<>();
        known.forEach((id, member) -> {
            boolean leads = member.getLeader() == member.getHeader().getMemberId();
            if (leads) {
                details.put("leader", id);
            }
            String version = ServerVersion.parse(member.getVersion())
                    .map(each -> ", " + each)
                    .orElse("");
            members.put(id, (leads ? "leader" : "follower") + version);
        });
        if (!members.isEmpty()) {
            details.put("members", members);
        }
        details.put("sessions", sessions.describe());
        List<String> alarms = answered.stream()
                .flatMap(answer -> answer.getAlarmsList().stream())
                .map(alarm -> alarm.getAlarm() + " at " + hex(alarm.getMemberID()))
                .toList();
        if (alarms.isEmpty()) {
            return new ProviderStatus(ProviderStatus.State.UP, details);
        }
        // While an alarm is raised, etcd answers reads but refuses the writes that locks need.
        details.put("alarms", alarms);
        return new ProviderStatus(ProviderStatus.State.DOWN, details);
    }

    private static ProviderStatus down(Throwable failure) {
        String why = EtcdCallException.of("a read", failure).getMessage();
        return new ProviderStatus(ProviderStatus.State.DOWN, Map.of("error", why == null ? "no answer" : why));
    }

    private static String hex(long id) {
        return HexFormat.of().toHexDigits(id);
    }

    /** Empty without an answer. */
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
