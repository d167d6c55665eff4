package io.distlock.house;

import java.util.List;

/** A type with something of each kind, for {@link PublicApiTests}. */
public abstract class ApiSample implements Comparable<ApiSample> {

    public static final int LIMIT = 3;

    final int hidden = 1;

    protected ApiSample() {}

    public List<String> names(int count, Mode mode) {
        return hiddenNames();
    }

    protected abstract void refresh() throws InterruptedException;

    @Override
    public String toString() {
        return "sample";
    }

    List<String> hiddenNames() {
        return List.of();
    }

    public enum Mode {
        FAST
    }

    public @interface Marked {

        String value() default "here";
    }

    public sealed interface Sealed {}

    record Hidden(int value) implements Sealed {}

    abstract static class Base {

        protected Base() {}

        protected void inherited() {}
    }

    public abstract static class Part extends Base {

        protected void own() {}
    }
}
