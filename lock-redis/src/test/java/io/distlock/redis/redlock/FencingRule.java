package io.distlock.redis.redlock;

/** All rules, or all but one: each is needed if tokens repeat without it. */
enum FencingRule {
    COMPLETE,
    WITHOUT_SECOND_PHASE,
    /** A node whose larger proposal came after the token was chosen counts as a confirmation. */
    COUNTING_WHAT_CAME_TOO_LATE,
    /** A node is restored before the grant, and counts as a confirmation. */
    COUNTING_WHAT_IS_RESTORED,
    /** A node proposes what the first one did, though it has counted further. */
    PROPOSING_WHAT_THE_FIRST_DID,
    /** A node that lost its counter goes on from its own clock. */
    ADMITTING_BY_THE_OWN_CLOCK,
    /** A node that lost its counter while it runs goes on from its own clock. */
    VOTING_WITHOUT_A_COUNTER,
    /** A node that lost its counter is admitted while what was begun before is still under way. */
    ADMITTING_AT_ONCE
}
