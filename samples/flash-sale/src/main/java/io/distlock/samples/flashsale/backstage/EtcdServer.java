package io.distlock.samples.flashsale.backstage;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A cluster of one etcd. There is none in an artifact, so it has to be installed. */
final class EtcdServer {

    private static final String INSTALLED = "etcd";

    private EtcdServer() {}

    static LockServer start(Path directory) throws IOException {
        return start(INSTALLED, directory);
    }

    static LockServer start(String program, Path directory) throws IOException {
        if (!Programs.runs(program)) {
            throw new BackstageException("There is no " + program + " on the PATH. Install it (on Debian and Ubuntu:"
                    + " apt-get install etcd-server), or start without --etcd");
        }
        int port = Ports.free();
        String clients = "http://127.0.0.1:" + port;
        String peers = "http://127.0.0.1:" + Ports.free();
        List<String> command = List.of(
                program,
                "--name=shop",
                "--data-dir=" + directory.resolve("data"),
                "--listen-client-urls=" + clients,
                "--advertise-client-urls=" + clients,
                "--listen-peer-urls=" + peers,
                "--initial-advertise-peer-urls=" + peers,
                "--initial-cluster=shop=" + peers);
        return LockServer.run(command, port, directory);
    }
}
