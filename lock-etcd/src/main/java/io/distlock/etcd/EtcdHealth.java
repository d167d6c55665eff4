package io.distlock.etcd;

import io.distlock.etcd.client.EtcdCallException;
import io.distlock.etcd.client.EtcdCalls;
import io.distlock.spi.ProviderStatus;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.AlarmResponse;
import io.etcd.jetcd.api.MaintenanceGrpc.MaintenanceStub;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.etcd.jetcd.options.GetOption;
import io.grpc.stub.StreamObserver;
import java.lang.module.ModuleDescriptor.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The state of etcd and its members, for health checks; warns once about servers that may revoke held locks. Thread-safe. */
record EtcdHealth(
        EtcdCalls calls,
        ByteSequence anyKey,
        EtcdConnection connection,
        Duration callTimeout,
        SessionPool sessions,
        VersionWarning warning) {

    private static final Pattern NUMBER = Pattern.compile("\\d{1,4}\\.\\d{1,4}\\.\\d{1,4}");

    /** As {@link io.distlock.spi.LockProvider#check}. */
    CompletableFuture<ProviderStatus> check() {
        return ask().exceptionally(EtcdHealth::down);
    }

    /** A read that only a majority of members can answer; fails without an answer. */
    CompletableFuture<ProviderStatus> ask() {
        return calls.get(anyKey, GetOption.builder().withCountOnly(true).build())
                .thenCompose(found -> askMembers());
    }

    /** On the existing connections: the driver's own status call opens a channel each time. */
    private CompletableFuture<ProviderStatus> askMembers() {
        MaintenanceStub stub =
                connection.capture.maintenance().withDeadlineAfter(callTimeout.toNanos(), TimeUnit.NANOSECONDS);
        // All calls rotate among the members. So there are more questions, and one member may still be missed.
        int questions = connection.members() > 1 ? 2 * connection.members() : 1;
        List<Answer<StatusResponse>> statuses =
                Stream.generate(Answer<StatusResponse>::new).limit(questions).toList();
        statuses.forEach(answer -> stub.status(StatusRequest.getDefaultInstance(), answer));
        Answer<AlarmResponse> alarms = new Answer<>();
        stub.alarm(AlarmRequest.getDefaultInstance(), alarms);
        return CompletableFuture.allOf(statuses.toArray(CompletableFuture[]::new))
                .thenCombine(alarms, (all, raised) -> status(answers(statuses), raised));
    }

    /** Those that do not answer are left out. */
    private static List<StatusResponse> answers(List<Answer<StatusResponse>> statuses) {
        return statuses.stream().flatMap(answer -> answer.join().stream()).toList();
    }

    private ProviderStatus status(List<StatusResponse> answers, Optional<AlarmResponse> raised) {
        Map<String, Object> details = new TreeMap<>();
        Map<String, String> members = new TreeMap<>();
        List<Version> versions = new ArrayList<>();
        for (StatusResponse member : answers) {
            String id = hex(member.getHeader().getMemberId());
            String role = "follower";
            if (member.getLeader() == member.getHeader().getMemberId()) {
                role = "leader";
                details.put(role, id);
            }
            Optional<Version> version = version(member.getVersion());
            version.ifPresent(versions::add);
            members.put(id, role + version.map(each -> ", " + each).orElse(""));
        }
        warning.lookAt(versions);
        if (!members.isEmpty()) {
            details.put("members", members);
        }
        details.put("sessions", sessions.describe());
        List<String> alarms = raised.stream()
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

    /** Without what may follow the number, such as {@code -rc.1}. Empty if there is no number. */
    static Optional<Version> version(String text) {
        Matcher number = NUMBER.matcher(text);
        return number.lookingAt() ? Optional.of(Version.parse(number.group())) : Optional.empty();
    }

    private static ProviderStatus down(Throwable failure) {
        String why = String.valueOf(EtcdCallException.of("a read", failure).getMessage());
        return new ProviderStatus(ProviderStatus.State.DOWN, Map.of("error", why));
    }

    private static String hex(long id) {
        return HexFormat.of().toHexDigits(id);
    }

    /** Warns once about servers that may revoke held locks. Thread-safe. */
    static final class VersionWarning {

        private static final Logger log = LoggerFactory.getLogger(EtcdHealth.class);

        private final AtomicBoolean warned = new AtomicBoolean();

        void lookAt(Collection<Version> versions) {
            versions.stream()
                    .filter(VersionWarning::mayRevokeLeasesInUse)
                    .findFirst()
                    .filter(old -> warned.compareAndSet(false, true))
                    .ifPresent(old -> log.warn(
                            "etcd {} has a bug: a leader that froze and was replaced may revoke leases that are still"
                                    + " kept alive, and held locks with them (etcd issue 15247). Upgrade to 3.4.31, 3.5.13"
                                    + " or later, where this is rare but still possible, and check fencing tokens where you"
                                    + " write",
                            old));
        }

        /**
         * Whether a leader that was stuck and has been replaced may revoke leases that its successor extends (etcd issue
         * 15247). According to etcd's change logs, fixed in 3.4.31, in 3.5.13, and from 3.6.0 on.
         */
        static boolean mayRevokeLeasesInUse(Version server) {
            return isBefore(server, "3.4.31") || (isBefore(server, "3.5.13") && !isBefore(server, "3.5.0"));
        }

        private static boolean isBefore(Version server, String other) {
            return server.compareTo(Version.parse(other)) < 0;
        }
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
