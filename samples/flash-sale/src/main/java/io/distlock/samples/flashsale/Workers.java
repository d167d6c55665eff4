package io.distlock.samples.flashsale;

/**
 * How many sell at once on one instance.
 *
 * @param count 1 to {@value #MAX}; the database pool is made for that many
 */
record Workers(int count) {

    static final int MAX = 64;

    Workers {
        if (count < 1 || count > MAX) {
            throw new IllegalArgumentException("workers must be 1 to " + MAX + ", not " + count);
        }
    }
}
