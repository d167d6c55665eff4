package io.distlock.test.etcd;

import io.distlock.test.process.ServerProcess;
import io.distlock.test.process.TestFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Starts a member with its configuration, again and again in the same folder. */
final class EtcdLauncher {

    private static final String DATA = "data";
    private static final String BACKUP = "backup";

    private final EtcdMember member;
    private final EtcdBinary binary;
    private final TestFolder folder;
    private final Path config;

    /** The options name a program. */
    EtcdLauncher(EtcdServerOptions options, EtcdMember member, List<EtcdMember> all, TestFolder folder) {
        this.member = member;
        this.binary = options.binary().orElseThrow();
        this.folder = folder;
        this.config = folder.path().resolve("etcd.yaml");
        try {
            Files.write(
                    config, EtcdConfig.lines(options, member, all, folder.path().resolve(DATA)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    EtcdMember member() {
        return member;
    }

    void backUp() {
        copy(DATA, BACKUP);
    }

    void restore() {
        copy(BACKUP, DATA);
    }

    private void copy(String from, String to) {
        folder.deleteInner(to);
        Path source = folder.path().resolve(from);
        Path target = folder.path().resolve(to);
        try (Stream<Path> all = Files.walk(source)) {
            for (Path each : all.toList()) {
                Files.copy(each, target.resolve(source.relativize(each)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Does not wait until it is of use: alone, most members of a cluster never are. */
    ServerProcess launch() {
        List<String> command = List.of(binary.path().toString(), "--config-file", config.toString());
        return ServerProcess.start("etcd", folder.path(), command);
    }
}
