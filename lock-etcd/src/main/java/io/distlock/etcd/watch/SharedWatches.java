package io.distlock.etcd.watch;

import com.google.protobuf.ByteString;
import io.distlock.support.LockRuntime;
import io.distlock.support.LockScheduler;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.api.WatchGrpc;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All watches of a provider on one stream, which is opened when first needed, and again after it breaks. While there
 * are watches, a silent server is sent a progress request: the client would otherwise listen forever to a server that is
 * frozen or cut off. Thread-safe.
 */
public final class SharedWatches implements Watches {

    private final Supplier<WatchGrpc.WatchStub> stubs;
    private final ByteSequence namespace;
    private final LockRuntime runtime;
    private final Duration patience;

    // Guarded by the monitor; the stream has its own, always locked second.
    private @Nullable WatchStream stream;
    private LockScheduler.@Nullable Scheduled check;
    private boolean closed;

    /**
     * @param namespace precedes our keys on the server
     * @param patience how long a server may be silent before it is probed, and then abandoned
     */
    public SharedWatches(
            Supplier<WatchGrpc.WatchStub> stubs, ByteSequence namespace, LockRuntime runtime, Duration patience) {
        this.stubs = stubs;
        this.namespace = namespace;
        this.runtime = runtime;
        this.patience = patience;
    }

    @Override
    public WatchedKey watch(ByteSequence key, long seen, Runnable wake) {
        WatchedKey watched = new WatchedKey(wake);
        WatchStream open = stream();
        if (open == null) {
            watched.breakOff(new IllegalStateException("the provider is closed"));
        } else {
            open.add(ByteString.copyFrom(namespace.concat(key).getBytes()), seen, watched);
            // Not under the monitor: the driver may answer other calls meanwhile.
            open.start(stubs);
        }
        return watched;
    }

    private synchronized @Nullable WatchStream stream() {
        if (closed) {
            return null;
        }
        if (stream == null || stream.isOver()) {
            stream = new WatchStream();
        }
        if (check == null) {
            check = runtime.scheduler().schedule(this::checkServer, patience);
        }
        return stream;
    }

    private void checkServer() {
        WatchStream open;
        synchronized (this) {
            open = stream;
            check = null;
            if (open == null || closed || open.isUnused()) {
                return;
            }
            check = runtime.scheduler().schedule(this::checkServer, patience);
        }
        open.checkServer();
    }

    @Override
    public void close() {
        WatchStream open;
        synchronized (this) {
            closed = true;
            open = stream;
            if (check != null) {
                check.cancel();
            }
        }
        if (open != null) {
            open.close();
        }
    }
}
