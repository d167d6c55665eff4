package io.distlock.benchmarks.capacity;

import io.distlock.test.page.MeasuredTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code docs/capacity.md}: its tables, and the pictures below them. */
final class CapacityPage {

    private final Path data;
    private final Path pictures;
    private final MeasuredTable table;

    /** The page in a folder. */
    CapacityPage(Path folder) {
        this.data = folder.resolve("capacity.csv");
        this.pictures = folder.resolve("images");
        this.table = new MeasuredTable(
                folder,
                "capacity",
                "scripts/capacity --page",
                lines -> new CapacityTables(Growth.parse(lines)).toString());
    }

    /** Writes the figures and all that is made of them. What was not measured keeps its own. */
    void write(Growth now) {
        Growth all = Files.exists(data) ? now.and(earlier()) : now;
        table.write(all.lines());
        draw(all);
    }

    /** Writes what is made of the figures that are there. */
    void write() {
        table.write(table.lines());
        draw(earlier());
    }

    private void draw(Growth growth) {
        CapacityPicture.CURVES.forEach(curve -> CapacityPicture.write(curve, growth, pictures));
    }

    private Growth earlier() {
        try {
            return Growth.parse(Files.readAllLines(data));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** The page as it is. */
    String actual() {
        return table.actual();
    }

    /** The page as it must be by the figures. */
    String expected() {
        return table.expected();
    }
}
