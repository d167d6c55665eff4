package io.distlock.etcd;

import java.util.Collection;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns, once, of servers that may take locks from those who hold them. Thread-safe. */
final class VersionWarning {

    private static final Logger log = LoggerFactory.getLogger(VersionWarning.class);

    private final AtomicBoolean warned = new AtomicBoolean();

    void lookAt(Collection<ServerVersion> versions) {
        versions.stream()
                .filter(ServerVersion::mayRevokeLeasesInUse)
                .findFirst()
                .filter(old -> warned.compareAndSet(false, true))
                .ifPresent(old -> log.warn(
                        "etcd {} has a fault by which a leader that was stuck and has been replaced takes away leases that"
                                + " are still extended, and with them locks that are held (etcd issue 15247): upgrade to"
                                + " 3.4.31, 3.5.13 or later",
                        old));
    }
}
