package io.distlock.samples.flashsale;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Stops this whole process for a while, as a long collection of garbage or a suspended virtual machine would: nothing in it
 * runs, and its locks are not renewed. A shell wakes it. Thread-safe.
 */
@Component
final class Freezer {

    private static final Logger log = LoggerFactory.getLogger(Freezer.class);
    private static final String SCRIPT = "kill -STOP $0; sleep $1; kill -CONT $0";

    private final FlashSaleSettings settings;
    private final AtomicBoolean asked = new AtomicBoolean();

    Freezer(FlashSaleSettings settings) {
        this.settings = settings;
    }

    /** Why this instance cannot be frozen, if it cannot. */
    Optional<String> obstacle() {
        if (settings.runsDatabase()) {
            return Optional.of(
                    "this instance also runs the database, which would stop with it: freeze one that joined");
        }
        return ended(List.of("sh", "-c", "kill -0 $0", pid()))
                ? Optional.empty()
                : Optional.of("this system has no command 'kill'");
    }

    /**
     * The next seller of this instance who has the lock, and knows what to write, freezes the instance.
     *
     * @throws CannotFreezeException if it cannot be frozen
     */
    void ask() {
        obstacle().ifPresent(obstacle -> {
            throw new CannotFreezeException(obstacle);
        });
        asked.set(true);
    }

    void freezeIfAsked() {
        if (asked.compareAndSet(true, false)) {
            log.info("Frozen for {}", settings.freezeTime());
            // This thread, too, goes on only after that: the shell ends when it has woken the process.
            String seconds = Long.toString(Math.max(1, settings.freezeTime().toSeconds()));
            ended(List.of("sh", "-c", SCRIPT, pid(), seconds));
            log.info("Awake again");
        }
    }

    private static String pid() {
        return Long.toString(ProcessHandle.current().pid());
    }

    /** Whether a command has ended well. */
    private static boolean ended(List<String> command) {
        try {
            return new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (IOException none) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
