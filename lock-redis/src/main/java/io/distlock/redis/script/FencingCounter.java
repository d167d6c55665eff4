package io.distlock.redis.script;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The counter that a node of Redlock needs before it votes. It starts no lower than those of a majority of the other nodes:
 * each granted token is stored on a majority, so unless more than a minority is down or has lost its counters, one of
 * those asked has seen it.
 *
 * @param node its name, for messages
 * @param quarantine for how long it does not vote after a restart or the loss of its counter, so that every lock that it
 *     may have forgotten has expired, and every acquisition begun before is over. If empty, the restart guard is off: it
 *     starts to count at once, from its time
 * @param ofOthers the largest counter of the other nodes; fails if too few of them answer
 */
public record FencingCounter(
        String node, String key, Optional<Duration> quarantine, Supplier<CompletionStage<Long>> ofOthers) {}
