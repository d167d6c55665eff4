package io.distlock.spring.context;

import java.util.List;

/** Something around calls that keeps their locks for longer than they do, such as a transaction. Thread-safe. */
public interface OuterScope {

    /** Keeps nothing. */
    OuterScope NONE = new OuterScope() {
        @Override
        public void keep(Hold hold) {}

        @Override
        public List<Hold> holds() {
            return List.of();
        }
    };

    /** Relies on a lock from now on until the scope ends. Without effect if it has ended. */
    void keep(Hold hold);

    /** What it keeps now. */
    List<Hold> holds();
}
