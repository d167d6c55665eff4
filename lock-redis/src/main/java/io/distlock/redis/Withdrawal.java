package io.distlock.redis;

import io.distlock.Release;
import io.distlock.spi.LeaseRequest;
import java.util.concurrent.CompletionStage;

/**
 * Takes the votes of one try back.
 *
 * @param owner as whom the nodes were asked
 */
record Withdrawal(RedlockNodes nodes, LeaseRequest request, String owner) {

    /**
     * Waits for what the node says, for it may have granted; a node that does not say is asked until it is certain.
     *
     * @param vote its answer, which may never come
     * @param quietly whether nobody need be told
     */
    void from(RedlockNode node, CompletionStage<NodeVote> vote, boolean quietly) {
        nodes.runtime().timeouts().within(nodes.callTimeout(), vote).whenComplete((known, timeout) -> {
            if (known instanceof NodeVote.Granted) {
                withdraw(node, quietly);
            } else if (timeout != null
                    || (known instanceof NodeVote.Silent silent
                            && silent.cause().mayBeApplied())) {
                reap(node, quietly);
            }
        });
    }

    /**
     * Of a vote that comes after the release of its lock. As a rule the release was sent after it on the same connection,
     * and has found it.
     */
    void unlessReleased(RedlockNode node, CompletionStage<Release> released) {
        released.thenAccept(release -> {
            if (release == Release.NOT_OWNER) {
                withdraw(node, false);
            }
        });
    }

    private void withdraw(RedlockNode node, boolean quietly) {
        node.withdraw(request, owner, quietly).thenAccept(release -> {
            if (release == Release.UNKNOWN) {
                reap(node, quietly);
            }
        });
    }

    private void reap(RedlockNode node, boolean quietly) {
        nodes.reap(
                "A vote for '" + request.key() + "' to " + owner,
                node,
                request.timeToLive(),
                () -> node.withdraw(request, owner, quietly));
    }
}
