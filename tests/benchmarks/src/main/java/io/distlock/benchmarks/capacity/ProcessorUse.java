package io.distlock.benchmarks.capacity;

import com.sun.management.OperatingSystemMXBean;
import io.distlock.benchmarks.capacity.Cost.ProcessorMicros;
import io.distlock.benchmarks.store.LockServers;
import io.distlock.benchmarks.store.ProcessorTime;
import java.lang.management.ManagementFactory;

/** The processor time of servers and of this JVM, whose clients' it is, from the start on. */
final class ProcessorUse {

    private static final OperatingSystemMXBean THIS = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    private final LockServers servers;
    private final double serversBefore;
    private final double thisBefore;

    private ProcessorUse(LockServers servers) {
        this.servers = servers;
        this.serversBefore = ProcessorTime.nanos(servers.processes());
        this.thisBefore = THIS.getProcessCpuTime();
    }

    static ProcessorUse start(LockServers servers) {
        return new ProcessorUse(servers);
    }

    /** So far, for each of so many. */
    ProcessorMicros forEach(double count) {
        double clients = THIS.getProcessCpuTime() - thisBefore;
        return forEach(count, clients);
    }

    /** The same where the clients' time is known otherwise. */
    ProcessorMicros forEach(double count, double clientNanos) {
        double nanos = ProcessorTime.nanos(servers.processes()) - serversBefore;
        return new ProcessorMicros(nanos / 1_000 / count, clientNanos / 1_000 / count);
    }
}
