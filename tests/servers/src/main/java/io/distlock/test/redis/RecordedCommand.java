package io.distlock.test.redis;

import java.util.List;
import java.util.Locale;

/**
 * A command that a client has sent.
 *
 * @param client the client's address, {@code host:port}
 * @param words the command's name, as sent, and its arguments
 */
public record RecordedCommand(String client, List<String> words) {

    /**
     * Copies.
     *
     * @param client the client's address
     * @param words the command's name and its arguments
     */
    public RecordedCommand {
        words = List.copyOf(words);
    }

    /**
     * The command's name.
     *
     * @return the name, in upper case
     */
    public String name() {
        return words.get(0).toUpperCase(Locale.ROOT);
    }
}
