package io.distlock.test.process;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A program whose threads count without a pause, each in a place of its own of a file, until it is killed. */
final class BusyThreads {

    static final int THREADS = 8;
    static final String FILE = "counts";

    private BusyThreads() {}

    public static void main(String[] arguments) throws IOException {
        MappedByteBuffer counts = map(Path.of(FILE));
        for (int thread = 0; thread < THREADS; thread++) {
            int place = thread * Long.BYTES;
            new Thread(() -> {
                        for (long count = 1; ; count++) {
                            counts.putLong(place, count);
                        }
                    })
                    .start();
        }
    }

    static MappedByteBuffer map(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) THREADS * Long.BYTES);
        }
    }
}
