package io.distlock.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.junit.jupiter.api.Test;

/** What each of the driver's errors means for a request. */
class ZooKeeperCallExceptionTests {

    private static final Set<Code> UNKNOWN =
            EnumSet.of(Code.CONNECTIONLOSS, Code.OPERATIONTIMEOUT, Code.REQUESTTIMEOUT, Code.SYSTEMERROR);
    private static final Set<Code> FINAL =
            EnumSet.of(Code.NOAUTH, Code.AUTHFAILED, Code.SESSIONCLOSEDREQUIRESASLAUTH, Code.BADARGUMENTS);

    @Test
    void eachErrorSaysWhetherTheRequestMayBeAppliedAndWhetherToAskAgain() {
        for (Code code : EnumSet.complementOf(EnumSet.of(Code.OK))) {
            ZooKeeperCallException failure = ZooKeeperCallException.of(code.intValue(), "/lock");
            assertThat(failure.mayBeApplied()).as("%s may be applied", code).isEqualTo(UNKNOWN.contains(code));
            assertThat(failure.isFinal()).as("%s is final", code).isEqualTo(FINAL.contains(code));
            assertThat(failure.isExpired()).as("%s", code).isEqualTo(code == Code.SESSIONEXPIRED);
        }
    }

    @Test
    void whatIsNotAnsweredOrNotUnderstoodMayBeApplied() {
        ZooKeeperCallException silence =
                ZooKeeperCallException.of(new CompletionException(new TimeoutException("no answer")));
        assertThat(silence.mayBeApplied()).isTrue();
        assertThat(silence.isSilence()).isTrue();
        assertThat(silence.isFinal()).isFalse();
        ZooKeeperCallException bug = ZooKeeperCallException.of(new IllegalStateException("a bug"));
        assertThat(bug.mayBeApplied()).isTrue();
        assertThat(bug.isSilence()).isFalse();
        assertThat(ZooKeeperCallException.of(KeeperException.create(Code.NONODE))
                        .isNoNode())
                .isTrue();
        assertThat(ZooKeeperCallException.unsent(64).mayBeApplied()).isFalse();
    }
}
