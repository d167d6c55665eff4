package io.distlock.house;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** The documentation's page of messages, compared with the texts in a module's source. */
public final class MessagePage {

    private final String text;

    public MessagePage(Path page) throws IOException {
        // In a table a bar has a backslash before it.
        this.text = onOneLine(Files.readString(page).replace("\\|", "|"));
    }

    /**
     * The messages that neither say what to do nor are on the page.
     *
     * @param source the folder of the module's main classes
     * @param without names of classes whose texts are no messages
     */
    public List<String> missing(Path source, Set<String> without) throws IOException {
        List<Message> messages = MessageScan.of(source, without);
        return messages.isEmpty()
                ? List.of("no messages in " + source)
                : messages.stream()
                        .filter(message -> !message.saysWhatToDo())
                        .filter(message -> !text.contains(onOneLine(message.mark())))
                        .map(Message::toString)
                        .toList();
    }

    private static String onOneLine(String lines) {
        return lines.replaceAll("\\s+", " ").strip();
    }
}
