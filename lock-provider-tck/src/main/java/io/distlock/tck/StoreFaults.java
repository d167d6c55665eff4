package io.distlock.tck;

/** What a test can do to the store, or to the way to it. Each takes effect before the call returns. */
public interface StoreFaults {

    /** The store stops answering; connections stay open, and what is sent is applied after {@link #thaw()}. */
    void freeze();

    void thaw();

    /** All connections break once; new ones can be made. */
    void cut();

    /** All connections break, and no new ones can be made until {@link #reconnect()}. */
    void disconnect();

    void reconnect();
}
