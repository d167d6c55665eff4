package io.distlock.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessagePageTests {

    private static final String BODY = """
            @Named("an annotation says something else")
            class Some {
                void run(int port) {
                    log.debug("The debugger may read this");
                    log.warn("Port {} is taken by somebody", port);
                    throw new IllegalStateException("port " + port
                            + " was refused:" + " the server says why");
                }
            }
            """;

    @TempDir
    Path folder;

    @Test
    void namesEachMessageThatThePageDoesNotHave() throws IOException {
        assertThat(missing(""))
                .containsExactly(
                        "Some.java: Port {} is taken by somebody",
                        "Some.java: port … was refused: the server says why");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "port {} is out of range: choose another",
                "The port is taken. Use another, or none",
                "Declare it on both, or on none"
            })
    void needsNoRowForAMessageThatSaysWhatToDo(String message) throws IOException {
        source("class Some { String text = \"" + message + "\"; }");
        assertThat(page("").missing(folder, Set.of())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock '…' was lost after some time", "you cannot use it here"})
    void needsARowForAMessageThatOnlySoundsSo(String message) throws IOException {
        source("class Some { String text = \"" + message + "\"; }");
        assertThat(page("").missing(folder, Set.of())).containsExactly("Some.java: " + message);
    }

    @Test
    void findsMessagesWithTheirValuesLeftOut() throws IOException {
        assertThat(missing("| `Port … is taken by\nsomebody` | `port … was refused: the server says why` |"))
                .isEmpty();
    }

    @Test
    void findsWhatATableEscapes() throws IOException {
        source("class Some { String text = \"expected one|two or three\"; }");
        assertThat(page("| `expected one\\|two or three` |").missing(folder, Set.of()))
                .isEmpty();
    }

    @Test
    void leavesOutAClassWhoseTextsAreNoMessages() throws IOException {
        source(BODY);
        Files.writeString(folder.resolve("Other.java"), "class Other { String text = \"another thing went wrong\"; }");
        assertThat(page("").missing(folder, Set.of("Some"))).containsExactly("Other.java: another thing went wrong");
    }

    private List<String> missing(String text) throws IOException {
        source(BODY);
        return page(text).missing(folder, Set.of());
    }

    private MessagePage page(String text) throws IOException {
        return new MessagePage(Files.writeString(folder.resolve("page.md"), text));
    }

    private void source(String text) throws IOException {
        Files.writeString(folder.resolve("Some.java"), text);
    }
}
