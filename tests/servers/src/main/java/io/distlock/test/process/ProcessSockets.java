package io.distlock.test.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * The sockets of a process, as Linux shows them under {@code /proc}: a list of connections with the inode of each, and a
 * link to its inode for each socket that the process has open.
 */
public final class ProcessSockets {

    private static final int LOCAL_ADDRESS = 1;
    private static final int INODE = 9;
    private static final int HEX = 16;

    private final Path process;

    private ProcessSockets(Path process) {
        this.process = process;
    }

    /**
     * Those of one process, which must be one of this user's.
     *
     * @param pid the process id
     * @return its sockets, which are looked up when they are asked for
     */
    public static ProcessSockets of(long pid) {
        return new ProcessSockets(Path.of("/proc", String.valueOf(pid)));
    }

    /**
     * Whether a connection by IPv4 is the process's.
     *
     * @param localPort the connection's port on the side of the process
     * @return false, too, if the process has ended
     */
    public boolean has(int localPort) {
        try {
            Set<String> own = inodes();
            return Files.readAllLines(process.resolve("net/tcp")).stream()
                    .skip(1)
                    .map(line -> line.trim().split("\\s+"))
                    .filter(fields -> port(fields[LOCAL_ADDRESS]) == localPort)
                    .anyMatch(fields -> own.contains(fields[INODE]));
        } catch (NoSuchFileException ended) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int port(String address) {
        return Integer.parseInt(address.substring(address.indexOf(':') + 1), HEX);
    }

    private Set<String> inodes() throws IOException {
        Set<String> inodes = new HashSet<>();
        try (DirectoryStream<Path> open = Files.newDirectoryStream(process.resolve("fd"))) {
            for (Path each : open) {
                String target = target(each);
                if (target.startsWith("socket:[")) {
                    inodes.add(target.substring("socket:[".length(), target.length() - 1));
                }
            }
        }
        return inodes;
    }

    private static String target(Path link) throws IOException {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (NoSuchFileException closed) {
            return "";
        }
    }
}
