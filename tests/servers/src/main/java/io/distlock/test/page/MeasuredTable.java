package io.distlock.test.page;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/**
 * A table on a page, written by a program from a file of figures beside it and never by hand: a test compares
 * {@link #actual()} with {@link #expected()}. The figures are in {@code <page>.csv}, the table between two comments.
 */
public final class MeasuredTable {

    private static final String END = "<!-- end -->";

    private final Path page;
    private final Path data;
    private final String begin;
    private final Function<List<String>, String> table;

    /**
     * A table that exists already, even if empty.
     *
     * @param folder of the page
     * @param name of the page, without its ending
     * @param writer the command that writes it
     * @param table the text for the lines of the file
     */
    public MeasuredTable(Path folder, String name, String writer, Function<List<String>, String> table) {
        this(folder, name, name, writer, table);
    }

    /**
     * One of several tables of a page.
     *
     * @param figures name of the file of figures, without its ending
     */
    public MeasuredTable(
            Path folder, String name, String figures, String writer, Function<List<String>, String> table) {
        this.page = folder.resolve(name + ".md");
        this.data = folder.resolve(figures + ".csv");
        this.begin = "<!-- written by " + writer + " -->";
        this.table = table;
    }

    /** The figures as they are. */
    public List<String> lines() {
        try {
            return Files.readAllLines(data);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Replaces the figures and the table, and nothing else. */
    public void write(List<String> lines) {
        try {
            Files.write(data, lines);
            Files.writeString(page, expected());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The page as it is. */
    public String actual() {
        try {
            return Files.readString(page);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * The page as it must be by the figures.
     *
     * @throws IllegalStateException if the page lacks the comments around the table
     */
    public String expected() {
        String text = actual();
        int from = text.indexOf(begin);
        int to = text.indexOf(END, Math.max(from, 0));
        if (from < 0 || to < 0) {
            throw new IllegalStateException("%s lacks the lines %s and %s".formatted(page, begin, END));
        }
        String written = table.apply(lines());
        return text.substring(0, from) + begin + '\n' + written + '\n' + text.substring(to);
    }
}
