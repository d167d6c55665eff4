package io.distlock.engine;

/** What the store has last said about a key to the call of this process that asks for it or holds it. */
sealed interface StoreNews {

    StoreNews NOTHING = new Nothing();
    StoreNews TAKEN = new Taken();

    /** Not a word so far. */
    record Nothing() implements StoreNews {}

    /** The key is held, by that call or by another. */
    record Taken() implements StoreNews {}

    /** The store did not answer, or with an error. */
    record Trouble(Throwable cause) implements StoreNews {}
}
