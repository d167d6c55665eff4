package io.distlock.benchmarks.measure;

import io.distlock.benchmarks.report.Report;
import io.distlock.benchmarks.store.Store;

/** One thing that is measured, on any store. */
public interface Measurement {

    /** What to call it on the command line. */
    String name();

    /** What it is about, in a line. */
    String title();

    /** Measures; leaves nothing on the store that a later measurement could notice. */
    void run(Store store, Effort effort, Report report);
}
