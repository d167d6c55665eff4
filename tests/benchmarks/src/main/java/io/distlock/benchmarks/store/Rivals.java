package io.distlock.benchmarks.store;

import java.util.function.Supplier;

/**
 * One way to hand a lock from client to client.
 *
 * @param name whose way it is
 * @param joins one more client, connected
 */
public record Rivals(String name, Supplier<Rival> joins) {

    /** Our own way, for applications on a store. */
    public static Rivals ours(Supplier<Application> applications) {
        return new Rivals("distlock", () -> new ClientRival(applications.get()));
    }

    /** One more client, to be closed by whoever asks. */
    public Rival join() {
        return joins.get();
    }
}
