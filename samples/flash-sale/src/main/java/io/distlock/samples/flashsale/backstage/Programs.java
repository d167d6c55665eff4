package io.distlock.samples.flashsale.backstage;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Programs of this machine. */
final class Programs {

    private Programs() {}

    /** Whether it runs here: it may be missing, or a library that it was linked with. */
    static boolean runs(String command) {
        return version(command).isPresent();
    }

    /** What it says about its version; empty if it does not run. */
    static Optional<String> version(String command) {
        try {
            Process asked = new ProcessBuilder(command, "--version")
                    .redirectErrorStream(true)
                    .start();
            String said = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return asked.waitFor() == 0 ? Optional.of(said) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
