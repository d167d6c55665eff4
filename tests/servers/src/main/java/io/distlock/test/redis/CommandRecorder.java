package io.distlock.test.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Writes down the commands that clients send, in the order in which the server carries them out. One EVALSHA is one
 * command, whatever its script calls.
 *
 * <p>It listens to MONITOR, because no counter of the server tells: INFO's {@code total_commands_processed} and its
 * {@code commandstats} count what scripts call like what clients send (in 6.2 and 7.0 both). MONITOR marks the former.
 * What Redis keeps out of MONITOR is not seen here either: AUTH, and some commands for administrators, CONFIG among
 * them.
 *
 * <p>The commands of the probe that made the recorder do not count. For one thread at a time, the probe's.
 */
public final class CommandRecorder implements AutoCloseable {

    private final RespConnection monitor;
    private final RespConnection probe;
    private final List<RecordedCommand> commands = new ArrayList<>();

    private CommandRecorder(RespConnection monitor, RespConnection probe) {
        this.monitor = monitor;
        this.probe = probe;
    }

    static CommandRecorder start(RedisEndpoint endpoint, RespConnection probe) {
        RespConnection monitor = RespConnection.open(endpoint);
        monitor.call(List.of("MONITOR"));
        return new CommandRecorder(monitor, probe);
    }

    /**
     * All commands since the start, up to those that the server has answered when this is called.
     *
     * @return the commands
     */
    public List<RecordedCommand> commands() {
        // The server tells its monitors in order, so what it tells before the marker is all there is.
        String marker = UUID.randomUUID().toString();
        probe.call(List.of("ECHO", marker));
        MonitorLine line = next();
        while (!line.command().words().contains(marker)) {
            if (!line.fromScript() && !line.command().client().equals(probe.localAddress())) {
                commands.add(line.command());
            }
            line = next();
        }
        return List.copyOf(commands);
    }

    /**
     * The names of {@link #commands()}.
     *
     * @return the names, in upper case
     */
    public List<String> names() {
        return commands().stream().map(RecordedCommand::name).toList();
    }

    /** Stops. */
    @Override
    public void close() {
        monitor.close();
    }

    private MonitorLine next() {
        return MonitorLine.parse(monitor.next().text());
    }
}
