package io.distlock.tck;

import io.distlock.spi.LeaseRequest;
import java.util.concurrent.atomic.AtomicInteger;

/** How often the store has answered an acquisition that another comes first. Thread-safe. */
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
