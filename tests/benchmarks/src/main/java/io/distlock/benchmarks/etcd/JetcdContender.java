package io.distlock.benchmarks.etcd;

import io.distlock.benchmarks.store.Contender;
import java.util.List;
import java.util.stream.IntStream;

/** The least that the driver can do for the same locks: the same two transactions, with keys and values of the same form. */
final class JetcdContender implements Contender {

    private final BareJetcd jetcd;
    private final List<BareQueue> queues;

    JetcdContender(BareJetcd jetcd) {
        this.jetcd = jetcd;
        this.queues = IntStream.range(0, ITEMS)
                .mapToObj(item -> new BareQueue(jetcd, "bench:" + item))
                .toList();
    }

    @Override
    public String name() {
        return "bare jetcd";
    }

    @Override
    public void cycle(int item) {
        BareQueue queue = queues.get(item);
        BareQueue.Place place = queue.enter();
        if (place.ahead().isPresent()) {
            throw new IllegalStateException("item " + item + " was not free");
        }
        queue.leave(place);
    }

    @Override
    public void close() {
        jetcd.close();
    }
}
