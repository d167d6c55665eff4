package io.distlock.chaos.campaign;

import java.util.Arrays;
import java.util.List;

/**
 * A campaign in figures: a line of the file that is kept, and a row of the page's table.
 *
 * @param provider the provider
 * @param server product and version of the servers
 * @param seed the seed
 * @param seconds how long faults went on
 * @param clientFaults how often a client was killed or frozen
 * @param storeFaults how often something happened to a server or the network
 * @param attempts how often a lock was asked for
 * @param grants how often it was granted
 * @param losses how many losses were told
 * @param writes how many writes reached the register
 * @param refused how many of them its fence refused
 * @param violations how often a promise was not kept
 * @param beyond the same under faults that the provider does not promise to bear
 * @param overlaps control: overlaps of bodies that did not ask their lock
 * @param staleWrites control: stale writes that a register without a fence would have taken
 */
public record Figures(
        String provider,
        String server,
        long seed,
        long seconds,
        long clientFaults,
        long storeFaults,
        long attempts,
        long grants,
        long losses,
        long writes,
        long refused,
        long violations,
        long beyond,
        long overlaps,
        long staleWrites) {

    private static final String SEPARATOR = ";";

    /** As a line of the file. */
    public String line() {
        return String.join(
                SEPARATOR,
                List.of(
                                provider,
                                server,
                                seed,
                                seconds,
                                clientFaults,
                                storeFaults,
                                attempts,
                                grants,
                                losses,
                                writes,
                                refused,
                                violations,
                                beyond,
                                overlaps,
                                staleWrites)
                        .stream()
                        .map(String::valueOf)
                        .toList());
    }

    /** The figures in a line. */
    public static Figures parse(String line) {
        List<String> words = Arrays.asList(line.split(SEPARATOR, -1));
        long[] numbers = words.stream().skip(2).mapToLong(Long::parseLong).toArray();
        return new Figures(
                words.get(0),
                words.get(1),
                numbers[0],
                numbers[1],
                numbers[2],
                numbers[3],
                numbers[4],
                numbers[5],
                numbers[6],
                numbers[7],
                numbers[8],
                numbers[9],
                numbers[10],
                numbers[11],
                numbers[12]);
    }
}
