package io.distlock.chaos.history;

import io.distlock.spi.Ticker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;

/**
 * A file of entries. Each is handed to the operating system before the call returns, so that a killed process loses none.
 * Thread-safe.
 */
public final class Journal implements AutoCloseable {

    private final FileChannel file;
    private final Ticker ticker;

    private Journal(FileChannel file, Ticker ticker) {
        this.file = file;
        this.ticker = ticker;
    }

    /** Begins a journal. */
    public static Journal in(Path path, Ticker ticker) {
        try {
            return new Journal(
                    FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND), ticker);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Records that something happens now. */
    public void now(Entry.Kind kind, String subject, Object... words) {
        at(ticker.nanos(), kind, subject, words);
    }

    /** Records that something happened at a moment. */
    public void at(long nanos, Entry.Kind kind, String subject, Object... words) {
        byte[] line = (Entry.of(nanos, kind, subject, words).line() + '\n').getBytes(StandardCharsets.UTF_8);
        try {
            file.write(ByteBuffer.wrap(line));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The entries of a journal. The last line counts only if it is whole. */
    public static List<Entry> read(Path path) {
        try {
            String text = Files.readString(path, StandardCharsets.UTF_8);
            String whole = text.substring(0, text.lastIndexOf('\n') + 1);
            return whole.lines().map(Entry::parse).flatMap(Optional::stream).toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void close() {
        try {
            file.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
