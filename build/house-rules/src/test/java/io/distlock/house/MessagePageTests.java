package io.distlock.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MessagePageTests {

    private static final String BODY = """
            @Named("an annotation says something else")
            class Some {
                void run(int port) {
                    log.debug("The debugger may read this");
                    log.warn("Port {} is taken by somebody", port);
                    throw new IllegalStateException("port " + port
                            + " is out of range:" + " choose another");
                }
            }
            """;

    @TempDir
    Path folder;

    @Test
    void namesEachMessageThatThePageDoesNotHave() throws IOException {
        assertThat(missing(""))
                .containsExactly(
                        "Some.java: Port {} is taken by somebody", "Some.java: port … is out of range: choose another");
    }

    @Test
    void findsMessagesWithTheirValuesLeftOut() throws IOException {
        assertThat(missing("| `Port … is taken by\nsomebody` | `port … is out of range: choose another` |"))
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
