package io.distlock.chaos.store;

import java.time.Duration;
import java.util.List;

/** A store under test: real servers, and what can happen to them. For one thread at a time. */
public interface ChaosStore extends AutoCloseable {

    /** The provider, as it is called on the command line. */
    String name();

    /** Product and version of the servers. */
    String server();

    /** The lease time of the locks. */
    Duration lease();

    /** How long after its last renewal the lock of a holder that has died is free, without further faults. */
    Duration untilFree();

    /** What a client has to know to reach the store through the network. */
    List<String> address(int client);

    /** What a client has to know to reach the store past the network. */
    List<String> directAddress();

    /** What the provider promises to bear. */
    List<Fault> faults();

    /** What it does not, by its page. */
    List<Fault> faultsBeyond();

    /** Back to normal: all servers run, and the network passes everything. */
    void heal();

    /** What is still there although every lock is free and every lease is over; empty if all is well. */
    List<String> leftovers();

    /** What is still there of the locks of a client that has released them all and has closed. */
    default List<String> leftByReleases() {
        return leftovers();
    }

    @Override
    void close();
}
