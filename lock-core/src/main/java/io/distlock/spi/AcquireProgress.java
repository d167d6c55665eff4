package io.distlock.spi;

/**
 * Hears what the store says while an acquisition goes on. Other calls of the same process wait behind it without
 * asking the store themselves, and must not be told "held by another" when in truth the store is silent.
 *
 * <p>Called on any thread, any number of times; returns at once and throws nothing.
 */
public interface AcquireProgress {

    /** For an acquisition that nobody waits behind. */
    AcquireProgress UNHEARD = new AcquireProgress() {
        @Override
        public void refused() {}

        @Override
        public void failed(Throwable cause) {}
    };

    /** The store has answered that another holds the key, or comes first. */
    void refused();

    /** The store has not answered, or with an error, or may not grant the key yet though nobody has it; it goes on. */
    void failed(Throwable cause);
}
