package io.distlock.samples.flashsale.backstage;

import java.io.IOException;

/** Programs of this machine. */
final class Programs {

    private Programs() {}

    /** It may not: it may be missing, the file system may forbid it, or a library that it was linked with be missing. */
    static boolean runs(String command) {
        try {
            Process version = new ProcessBuilder(command, "--version")
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return version.waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
