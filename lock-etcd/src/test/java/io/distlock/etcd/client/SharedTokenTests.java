package io.distlock.etcd.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallCredentials;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class SharedTokenTests {

    private final Metadata token = new Metadata();

    /** The calls for which the driver asks. */
    private final List<CallCredentials.MetadataApplier> asked = new ArrayList<>();

    private final List<Object> answers = new ArrayList<>();

    private final CallCredentials driver = new CallCredentials() {
        @Override
        public void applyRequestMetadata(RequestInfo call, Executor executor, MetadataApplier applier) {
            asked.add(applier);
        }
    };

    private void call(CallCredentials credentials) {
        credentials.applyRequestMetadata(null, Runnable::run, new CallCredentials.MetadataApplier() {
            @Override
            public void apply(Metadata headers) {
                answers.add(headers);
            }

            @Override
            public void fail(Status status) {
                answers.add(status);
            }
        });
    }

    @Test
    void oneAsksForAll() {
        SharedToken shared = new SharedToken(driver, Duration.ofHours(1));
        for (int number = 0; number < 24; number++) {
            call(shared);
        }
        assertThat(asked).hasSize(1);
        asked.get(0).apply(token);
        assertThat(answers).hasSize(24).containsOnly(token);
        call(shared);
        assertThat(asked).hasSize(2);
    }

    @Test
    void allLearnOfARefusalAndTheNextOneAsksAgain() {
        SharedToken shared = new SharedToken(driver, Duration.ofHours(1));
        call(shared);
        call(shared);
        asked.get(0).fail(Status.UNAUTHENTICATED);
        assertThat(answers).hasSize(2).containsOnly(Status.UNAUTHENTICATED);
        call(shared);
        assertThat(asked).hasSize(2);
    }

    /** The member that was asked may be frozen. */
    @Test
    void afterTheLimitOfACallTheNextOneAsksAsWellAndTheFirstAnswerCounts() {
        SharedToken shared = new SharedToken(driver, Duration.ZERO);
        call(shared);
        call(shared);
        assertThat(asked).hasSize(2);
        asked.get(1).apply(token);
        assertThat(answers).containsExactly(token, token);
        asked.get(0).apply(token);
        assertThat(answers).hasSize(2);
    }
}
