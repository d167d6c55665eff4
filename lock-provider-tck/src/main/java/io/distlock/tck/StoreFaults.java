package io.distlock.tck;

/** Faults that a test can cause in the store, or on the way to it. Each takes effect before the call returns. */
public interface StoreFaults {

    /** The store stops answering; connections stay open, and requests are applied after {@link #thaw()}. */
    void freeze();

    void thaw();

    /** All connections break once; new ones can be opened. */
    void cut();

    /** All connections break, and no new ones can be opened until {@link #reconnect()}. */
    void disconnect();

    void reconnect();
}
