package io.distlock.tck;

import io.distlock.spi.LeaseRequest;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts how often the store has refused an acquisition because of another. Thread-safe. */
final class Refusals implements LeaseRequest.Listener {

    private final AtomicInteger count = new AtomicInteger();

    @Override
    public void refused() {
        count.incrementAndGet();
    }

    @Override
    public void failed(Throwable cause) {}

    int count() {
        return count.get();
    }
}
