package io.distlock.test.etcd;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Counts of RPCs by gRPC method, such as {@code Range}, {@code Put}, {@code Txn}, {@code LeaseKeepAlive} and
 * {@code Watch}. Methods that were not called are absent.
 *
 * @param started RPCs begun; a stream counts once, however many messages it carries
 * @param received messages from clients
 * @param sent messages to clients; one of {@code Watch} can carry several events
 */
public record EtcdRpcs(Map<String, Long> started, Map<String, Long> received, Map<String, Long> sent) {

    /**
     * Copies.
     *
     * @param started RPCs begun
     * @param received messages from clients
     * @param sent messages to clients
     */
    public EtcdRpcs {
        started = withoutZeros(started);
        received = withoutZeros(received);
        sent = withoutZeros(sent);
    }

    /**
     * None.
     *
     * @return zero of everything
     */
    public static EtcdRpcs none() {
        return new EtcdRpcs(Map.of(), Map.of(), Map.of());
    }

    /**
     * How often a method was called.
     *
     * @param method its name
     * @return the number
     */
    public long started(String method) {
        return started.getOrDefault(method, 0L);
    }

    /**
     * How many messages came for a method.
     *
     * @param method its name
     * @return the number
     */
    public long received(String method) {
        return received.getOrDefault(method, 0L);
    }

    /**
     * How many messages a method sent.
     *
     * @param method its name
     * @return the number
     */
    public long sent(String method) {
        return sent.getOrDefault(method, 0L);
    }

    /**
     * What was asked of the server in all: a message in a stream costs it what an RPC does.
     *
     * @return the number of messages received
     */
    public long total() {
        return received.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * What has come since.
     *
     * @param earlier the same server's counts then, in the same run of it
     * @return the difference
     */
    public EtcdRpcs since(EtcdRpcs earlier) {
        return new EtcdRpcs(
                sum(started, earlier.started, -1), sum(received, earlier.received, -1), sum(sent, earlier.sent, -1));
    }

    /**
     * Both together.
     *
     * @param other another server's counts
     * @return the sum
     */
    public EtcdRpcs plus(EtcdRpcs other) {
        return new EtcdRpcs(sum(started, other.started, 1), sum(received, other.received, 1), sum(sent, other.sent, 1));
    }

    private static Map<String, Long> sum(Map<String, Long> counts, Map<String, Long> others, long times) {
        Map<String, Long> result = new HashMap<>(counts);
        others.forEach((method, count) -> result.merge(method, count * times, Long::sum));
        return result;
    }

    private static Map<String, Long> withoutZeros(Map<String, Long> counts) {
        return counts.entrySet().stream()
                .filter(each -> each.getValue() != 0)
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }
}
