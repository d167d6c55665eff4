package io.distlock.test.redis;

import java.util.List;

/** What a server answered, in the shapes of RESP2. */
public sealed interface RedisReply {

    /**
     * The text of a simple or bulk string.
     *
     * @return the text
     * @throws IllegalStateException if this is no text
     */
    default String text() {
        throw unlike("text");
    }

    /**
     * The integer.
     *
     * @return the number
     * @throws IllegalStateException if this is no number
     */
    default long number() {
        throw unlike("a number");
    }

    /**
     * The elements of an array.
     *
     * @return the elements
     * @throws IllegalStateException if this is no array
     */
    default List<RedisReply> items() {
        throw unlike("an array");
    }

    /**
     * The elements of an array of texts.
     *
     * @return the texts
     * @throws IllegalStateException if this is no array, or one of the elements is no text
     */
    default List<String> texts() {
        return items().stream().map(RedisReply::text).toList();
    }

    private IllegalStateException unlike(String shape) {
        return new IllegalStateException("expected %s, but the reply is %s".formatted(shape, this));
    }

    /**
     * A simple or bulk string.
     *
     * @param text the text
     */
    record Text(String text) implements RedisReply {}

    /**
     * An integer.
     *
     * @param number the number
     */
    record Int(long number) implements RedisReply {}

    /**
     * An array.
     *
     * @param items its elements
     */
    record Items(List<RedisReply> items) implements RedisReply {

        /**
         * Copies.
         *
         * @param items its elements
         */
        public Items {
            items = List.copyOf(items);
        }
    }

    /** There is nothing. */
    record Nil() implements RedisReply {}

    /**
     * An error. At the top level it is thrown as a {@link RedisErrorException} instead; it stands inside arrays, such
     * as EXEC's.
     *
     * @param message what the server says
     */
    record Failure(String message) implements RedisReply {}
}
