package io.distlock.jdbc.fence.proof;

import io.distlock.test.process.ServerProcess;
import io.distlock.test.process.TestFolder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * {@link Victim}s in a process of their own, which can be frozen. Its test tells it what to do through a socket, in lines of
 * words separated by tabs; what is said to a frozen one, it does once it wakes up.
 */
final class VictimProcess implements AutoCloseable {

    private static final String TAB = "\t";

    private final TestFolder folder;
    private final ServerProcess process;
    private final Socket socket;
    private final PrintWriter out;
    private final BufferedReader in;

    private VictimProcess(TestFolder folder, ServerProcess process, Socket socket) throws IOException {
        this.folder = folder;
        this.process = process;
        this.socket = socket;
        this.out = new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8);
        this.in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    static VictimProcess start() {
        TestFolder folder = TestFolder.create("victim");
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout(60_000);
            String java =
                    Path.of(System.getProperty("java.home"), "bin", "java").toString();
            ServerProcess process = ServerProcess.start(
                    "victim",
                    folder.path(),
                    List.of(
                            java,
                            "-XX:TieredStopAtLevel=1",
                            "-XX:+UseSerialGC",
                            "-cp",
                            System.getProperty("java.class.path"),
                            VictimProcess.class.getName(),
                            String.valueOf(server.getLocalPort())));
            return new VictimProcess(folder, process, server.accept());
        } catch (IOException failure) {
            folder.close();
            throw new UncheckedIOException(failure);
        }
    }

    ServerProcess process() {
        return process;
    }

    /** Starts a victim there, and waits until it can take locks. */
    void startVictim(String name, List<String> properties, String url, String user, boolean fenced) {
        say("start", name, String.join("|", properties), url, user, String.valueOf(fenced));
    }

    void write(String victim, Work work, Duration lease) {
        say(
                "write",
                victim,
                work.table(),
                work.account(),
                work.form().name(),
                work.isolation().name(),
                lease.toString());
    }

    /** Lets all writers that pause go on. */
    void resume() {
        say("resume");
    }

    /** The next thing it says: {@code started victim}, {@code paused account token} or {@code ended account outcome}. */
    List<String> next() {
        try {
            String line = in.readLine();
            if (line == null) {
                throw process.failure("has ended");
            }
            return List.of(line.split(TAB, -1));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private void say(String... words) {
        out.println(String.join(TAB, words));
    }

    @Override
    public void close() {
        process.close();
        folder.close();
        try {
            socket.close();
        } catch (IOException ignored) {
            // It is of no use any more.
        }
    }

    public static void main(String[] arguments) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        socket.setTcpNoDelay(true);
        new Main(new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8))
                .obey(new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)));
        System.exit(0);
    }

    /** The other end. */
    private static final class Main {

        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final Map<String, Victim> victims = new ConcurrentHashMap<>();
        private final PrintWriter out;
        private volatile CountDownLatch gate = new CountDownLatch(1);

        Main(PrintWriter out) {
            this.out = out;
        }

        void obey(BufferedReader in) throws IOException {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(TAB, -1);
                switch (words[0]) {
                    case "start" -> {
                        victims.put(
                                words[1],
                                Victim.start(
                                        List.of(words[2].split("\\|", -1)),
                                        words[3],
                                        words[4],
                                        Boolean.parseBoolean(words[5])));
                        say("started", words[1]);
                    }
                    case "write" -> {
                        Work work = new Work(
                                words[2], words[3], Work.Form.valueOf(words[4]), Work.Isolation.valueOf(words[5]));
                        threads.execute(() ->
                                write(Objects.requireNonNull(victims.get(words[1])), work, Duration.parse(words[6])));
                    }
                    default -> {
                        CountDownLatch shut = gate;
                        gate = new CountDownLatch(1);
                        shut.countDown();
                    }
                }
            }
        }

        private void write(Victim victim, Work work, Duration lease) {
            CountDownLatch until = gate;
            String outcome;
            try {
                outcome = victim.write(
                                work,
                                lease,
                                token -> {
                                    say("paused", work.account(), String.valueOf(token.value()));
                                    await(until);
                                },
                                () -> {})
                        .name();
            } catch (RuntimeException failure) {
                failure.printStackTrace();
                outcome = failure.toString();
            }
            say("ended", work.account(), outcome.replaceAll("\\s+", " "));
        }

        private static void await(CountDownLatch gate) {
            try {
                gate.await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        private synchronized void say(String... words) {
            out.println(String.join(TAB, words));
        }
    }
}
