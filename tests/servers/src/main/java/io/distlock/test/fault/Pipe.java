package io.distlock.test.fault;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One direction of one connection. One thread receives and stamps what it receives with the time at which it is due,
 * another delivers: so bytes that follow each other closely are delayed once, not one after the other.
 */
final class Pipe {

    private static final int CHUNK = 16 * 1024;
    private static final int CHUNKS_UNDER_WAY = 256;

    private final Socket from;
    private final Socket to;
    private final Rules rules;
    private final Link link;
    private final BlockingQueue<Parcel> underWay = new LinkedBlockingQueue<>(CHUNKS_UNDER_WAY);
    private final Thread receiver;
    private final Thread deliverer;
    private volatile boolean torn;
    private volatile boolean silent;

    Pipe(String name, Socket from, Socket to, Rules rules, Link link) {
        this.from = from;
        this.to = to;
        this.rules = rules;
        this.link = link;
        this.receiver = Threads.daemon(name + "-in", this::receive);
        this.deliverer = Threads.daemon(name + "-out", this::deliver);
    }

    void start() {
        receiver.start();
        deliverer.start();
    }

    /** To be called once both sockets are closed, which ends all reading and writing. */
    void stop() {
        receiver.interrupt();
        deliverer.interrupt();
    }

    void silence() {
        silent = true;
    }

    /** Whether bytes were lost, so that the rest makes no sense to the one who gets it. */
    boolean isTorn() {
        return torn;
    }

    private void receive() {
        try {
            InputStream in = from.getInputStream();
            byte[] chunk = new byte[CHUNK];
            for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
                send(Parcel.Kind.BYTES, ByteBuffer.allocate(length).put(chunk, 0, length));
            }
            send(Parcel.Kind.END, ByteBuffer.allocate(0));
        } catch (IOException e) {
            sendBreak();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void sendBreak() {
        try {
            send(Parcel.Kind.BREAK, ByteBuffer.allocate(0));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void send(Parcel.Kind kind, ByteBuffer bytes) throws InterruptedException {
        underWay.put(new Parcel(kind, bytes, System.nanoTime() + rules.delay().toNanos()));
    }

    private void deliver() {
        try {
            boolean goOn = true;
            while (goOn) {
                Parcel parcel = underWay.take();
                TimeUnit.NANOSECONDS.sleep(parcel.dueNanos() - System.nanoTime());
                goOn = deliver(parcel);
            }
        } catch (IOException e) {
            link.cut();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean deliver(Parcel parcel) throws IOException, InterruptedException {
        Fate fate = silent ? Fate.DROP : rules.fateOf(parcel.kind());
        if (fate == Fate.DROP) {
            torn = true;
            return true;
        }
        if (fate == Fate.CUT || torn || parcel.kind() == Parcel.Kind.BREAK) {
            link.cut();
            return false;
        }
        return hand(parcel);
    }

    private boolean hand(Parcel parcel) throws IOException {
        if (parcel.kind() == Parcel.Kind.END) {
            to.shutdownOutput();
            link.ended();
            return false;
        }
        to.getOutputStream().write(parcel.bytes().array());
        return true;
    }
}
