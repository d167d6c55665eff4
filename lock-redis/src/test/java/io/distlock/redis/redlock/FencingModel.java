package io.distlock.redis.redlock;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Of the nodes: who has the lock, under which token, and the counter; of the acquisitions: how far they are. */
final class FencingModel {

    private static final Quorum QUORUM = new Quorum(3);
    private static final int NODES = QUORUM.nodes();
    private static final int NOBODY = -1;
    private static final int OUT = -1;

    private enum Phase {
        PROPOSING,
        RAISING,
        GRANTED,
        GIVEN_UP
    }

    final int[] owner;
    final int[] value;
    final int[] counter;
    final int[][] vote;
    final boolean[][] confirmed;
    final Phase[] phase;
    final int[] token;
    /** Which acquisitions had been granted before this one began. */
    final int[] earlier;
    /** What a counter that is missing begins with. */
    final int[] clock;

    /** The node that may be restarted. */
    private int mayForget = NOBODY;
    /** The node that may lose its counter, with or without the rest, and goes on running. */
    private int mayLose = NOBODY;
    /** The node that was restarted or has lost its counter, once one has. */
    int forgetful = NOBODY;
    /** Whether that node gives votes again. */
    boolean admitted;
    /** Which acquisitions had begun before. */
    int begunBefore;

    FencingModel(int acquisitions, int... counter) {
        this.owner = new int[NODES];
        this.value = new int[NODES];
        this.counter = counter.clone();
        this.vote = new int[acquisitions][NODES];
        this.confirmed = new boolean[acquisitions][NODES];
        this.phase = new Phase[acquisitions];
        this.token = new int[acquisitions];
        this.earlier = new int[acquisitions];
        this.clock = counter;
        Arrays.fill(owner, NOBODY);
        Arrays.fill(phase, Phase.PROPOSING);
    }

    private FencingModel(FencingModel other) {
        this.owner = other.owner.clone();
        this.value = other.value.clone();
        this.counter = other.counter.clone();
        this.vote = other.vote.clone();
        this.confirmed = other.confirmed.clone();
        this.phase = other.phase.clone();
        this.token = other.token.clone();
        this.earlier = other.earlier.clone();
        this.clock = other.clock;
        this.mayForget = other.mayForget;
        this.mayLose = other.mayLose;
        this.forgetful = other.forgetful;
        this.admitted = other.admitted;
        this.begunBefore = other.begunBefore;
        for (int each = 0; each < phase.length; each++) {
            vote[each] = vote[each].clone();
            confirmed[each] = confirmed[each].clone();
        }
    }

    /** The same, where a node may be restarted without its data. */
    FencingModel withRestartOf(int node) {
        FencingModel copy = copy();
        copy.mayForget = node;
        return copy;
    }

    /** The same, where a node may lose its counter while it runs. */
    FencingModel withLossOn(int node) {
        FencingModel copy = copy();
        copy.mayLose = node;
        return copy;
    }

    private FencingModel copy() {
        return new FencingModel(this);
    }

    boolean repeats() {
        for (int one = 0; one < phase.length; one++) {
            for (int other = 0; other < phase.length; other++) {
                boolean both = one != other && phase[one] == Phase.GRANTED && phase[other] == Phase.GRANTED;
                boolean after = (earlier[one] & 1 << other) != 0;
                if (both && (token[one] == token[other] || (after && token[one] < token[other]))) {
                    return true;
                }
            }
        }
        return false;
    }

    List<FencingModel> successors(FencingRule rule) {
        List<FencingModel> next = new ArrayList<>();
        for (int node = 0; node < NODES; node++) {
            if (owner[node] != NOBODY) {
                next.add(copy().free(node));
            }
            if (mayForget == node && forgetful == NOBODY) {
                next.add(copy().forget(node));
            }
            if (mayLose == node && forgetful == NOBODY) {
                next.add(copy().lose(node, rule));
                next.add(copy().free(node).lose(node, rule));
            }
            for (int each = 0; each < phase.length; each++) {
                if (vote[each][node] == 0 && (phase[each] == Phase.PROPOSING || phase[each] == Phase.RAISING)) {
                    next.add(copy().propose(each, node, 0, rule));
                    for (int first = 0; first < NODES; first++) {
                        if (vote[each][first] > counter[node] + 1
                                || (vote[each][first] > 0 && rule == FencingRule.PROPOSING_WHAT_THE_FIRST_DID)) {
                            next.add(copy().propose(each, node, vote[each][first], rule));
                        }
                    }
                }
                if (phase[each] == Phase.RAISING && vote[each][node] > 0 && !confirmed[each][node]) {
                    next.add(copy().raise(each, node, rule));
                }
                if (owner[node] == NOBODY && votes(node) && mayBeRestored(each, rule)) {
                    next.add(copy().restore(each, node));
                }
            }
        }
        if (forgetful != NOBODY && !admitted) {
            next.add(copy().admit(rule));
        }
        for (int each = 0; each < phase.length; each++) {
            if (phase[each] == Phase.PROPOSING && hasMajority(each)) {
                next.add(copy().decide(each, rule));
            }
        }
        return next;
    }

    private boolean votes(int node) {
        return node != forgetful || admitted;
    }

    private boolean hasBegun(int each) {
        return Arrays.stream(vote[each]).anyMatch(any -> any != 0);
    }

    private boolean mayBeRestored(int each, FencingRule rule) {
        return phase[each] == Phase.GRANTED
                || (phase[each] == Phase.RAISING && rule == FencingRule.COUNTING_WHAT_IS_RESTORED);
    }

    /** The script that restores; the counter stays as it is. */
    private FencingModel restore(int each, int node) {
        owner[node] = each;
        if (phase[each] == Phase.RAISING) {
            value[node] = token[each];
            confirmed[each][node] = true;
            finish(each);
        }
        return this;
    }

    private FencingModel forget(int node) {
        free(node);
        return loseCounter(node);
    }

    private FencingModel lose(int node, FencingRule rule) {
        loseCounter(node);
        if (rule == FencingRule.VOTING_WITHOUT_A_COUNTER) {
            admitted = true;
            counter[node] = clock[node];
        }
        return this;
    }

    private FencingModel loseCounter(int node) {
        forgetful = node;
        counter[node] = 0;
        for (int each = 0; each < phase.length; each++) {
            begunBefore |= hasBegun(each) ? 1 << each : 0;
        }
        return this;
    }

    /** The quarantine is over. A majority of the others are all others here. */
    private FencingModel admit(FencingRule rule) {
        admitted = true;
        counter[forgetful] = clock[forgetful];
        for (int node = 0; node < NODES && rule != FencingRule.ADMITTING_BY_THE_OWN_CLOCK; node++) {
            counter[forgetful] = Math.max(counter[forgetful], counter[node]);
        }
        for (int each = 0; each < phase.length; each++) {
            boolean over = rule != FencingRule.ADMITTING_AT_ONCE;
            if (over && (begunBefore & 1 << each) != 0 && phase[each] != Phase.GRANTED) {
                end(each, Phase.GIVEN_UP);
            }
        }
        return this;
    }

    /**
     * The acquire script.
     *
     * @param least what a node that was asked before has proposed; 0 if there is none
     */
    private FencingModel propose(int each, int node, int least, FencingRule rule) {
        if (!hasBegun(each)) {
            for (int other = 0; other < phase.length; other++) {
                earlier[each] |= phase[other] == Phase.GRANTED ? 1 << other : 0;
            }
        }
        if (owner[node] == NOBODY && votes(node)) {
            boolean same = rule == FencingRule.PROPOSING_WHAT_THE_FIRST_DID && least > 0;
            counter[node] = same ? least : Math.max(counter[node] + 1, least);
            owner[node] = each;
            value[node] = counter[node];
            vote[each][node] = counter[node];
            if (phase[each] == Phase.RAISING) {
                confirmed[each][node] = vote[each][node] == token[each];
                finish(each);
            }
        } else {
            vote[each][node] = OUT;
        }
        return this;
    }

    private boolean hasMajority(int each) {
        return Arrays.stream(vote[each]).filter(proposal -> proposal > 0).count() >= QUORUM.majority();
    }

    private FencingModel decide(int each, FencingRule rule) {
        token[each] = Arrays.stream(vote[each]).max().orElseThrow();
        phase[each] = Phase.RAISING;
        for (int node = 0; node < NODES; node++) {
            confirmed[each][node] = vote[each][node] == token[each];
        }
        finish(each);
        if (rule == FencingRule.WITHOUT_SECOND_PHASE) {
            end(each, Phase.GRANTED);
        }
        return this;
    }

    /** The script of the second phase. */
    private FencingModel raise(int each, int node, FencingRule rule) {
        if (owner[node] == each && value[node] == vote[each][node] && votes(node)) {
            value[node] = token[each];
            counter[node] = Math.max(counter[node], token[each]);
            // The token was chosen without knowing of a larger proposal.
            confirmed[each][node] = vote[each][node] <= token[each] || rule == FencingRule.COUNTING_WHAT_CAME_TOO_LATE;
            finish(each);
        } else {
            vote[each][node] = OUT;
        }
        return this;
    }

    private void finish(int each) {
        int sure = 0;
        for (boolean done : confirmed[each]) {
            sure += done ? 1 : 0;
        }
        if (sure >= QUORUM.majority()) {
            end(each, Phase.GRANTED);
        }
    }

    private FencingModel free(int node) {
        owner[node] = NOBODY;
        value[node] = 0;
        return this;
    }

    /** Forgets what nobody asks for any more, so that there are fewer states. */
    private void end(int each, Phase how) {
        phase[each] = how;
        Arrays.fill(vote[each], 0);
        Arrays.fill(confirmed[each], false);
        for (int node = 0; node < NODES; node++) {
            value[node] = owner[node] == each ? 0 : value[node];
        }
    }

    @Override
    public String toString() {
        return "owners, values, counters, votes, confirmed, phases, tokens, earlier, forgetful, admitted, begun before: "
                + Arrays.deepToString(state());
    }

    private Object[] state() {
        return new Object[] {
            owner, value, counter, vote, confirmed, phase, token, earlier, forgetful, admitted, begunBefore
        };
    }

    @Override
    public boolean equals(Object object) {
        return object instanceof FencingModel other && Arrays.deepEquals(state(), other.state());
    }

    @Override
    public int hashCode() {
        int hash = Arrays.hashCode(owner);
        hash = 31 * hash + Arrays.hashCode(value);
        hash = 31 * hash + Arrays.hashCode(counter);
        hash = 31 * hash + Arrays.deepHashCode(vote);
        hash = 31 * hash + Arrays.deepHashCode(confirmed);
        hash = 31 * hash + Arrays.hashCode(phase);
        hash = 31 * hash + Arrays.hashCode(token);
        return 31 * hash + 4 * begunBefore + forgetful;
    }
}
