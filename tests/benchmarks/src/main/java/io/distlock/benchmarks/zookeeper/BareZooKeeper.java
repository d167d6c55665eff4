package io.distlock.benchmarks.zookeeper;

import io.distlock.benchmarks.store.Contestant;
import io.distlock.benchmarks.store.Store.RoundTrip;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.AsyncCallback.ChildrenCallback;
import org.apache.zookeeper.AsyncCallback.Create2Callback;
import org.apache.zookeeper.AsyncCallback.StatCallback;
import org.apache.zookeeper.AsyncCallback.VoidCallback;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

/** ZooKeeper's own client, with the requests that our provider sends. */
final class BareZooKeeper implements Contestant, RoundTrip {

    private static final int PATIENCE_SECONDS = 60;
    private static final int SESSION_MILLIS = 37_800;

    private final ZooKeeper client;

    BareZooKeeper(String connectString) {
        CompletableFuture<Void> connected = new CompletableFuture<>();
        try {
            client = new ZooKeeper(connectString, SESSION_MILLIS, event -> connected.complete(null));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        await(connected);
        create("/bare", CreateMode.PERSISTENT);
        for (int item = 0; item < ITEMS; item++) {
            create("/bare/" + item, CreateMode.PERSISTENT);
        }
    }

    private static <T> T await(CompletableFuture<T> answer) {
        return answer.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    }

    private String create(String path, CreateMode mode) {
        return await(creating(path, mode));
    }

    private CompletableFuture<String> creating(String path, CreateMode mode) {
        CompletableFuture<String> made = new CompletableFuture<>();
        Create2Callback answer = (code, asked, context, name, stat) -> end(made, code, name == null ? asked : name);
        client.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, mode, answer, null);
        return made;
    }

    private static <T> void end(CompletableFuture<T> future, int code, T answer) {
        if (code == KeeperException.Code.OK.intValue() || code == KeeperException.Code.NODEEXISTS.intValue()) {
            future.complete(answer);
        } else {
            future.completeExceptionally(KeeperException.create(KeeperException.Code.get(code)));
        }
    }

    @Override
    public String name() {
        return "bare ZooKeeper";
    }

    @Override
    public void cycle(int item) {
        String queue = "/bare/" + item;
        CompletableFuture<String> made = creating(queue + "/lock-", CreateMode.EPHEMERAL_SEQUENTIAL);
        CompletableFuture<List<String>> names = new CompletableFuture<>();
        ChildrenCallback children = (code, path, context, all) -> end(names, code, all);
        client.getChildren(queue, false, children, null);
        String own = await(made);
        if (await(names).size() != 1) {
            throw new IllegalStateException("item " + item + " was not free");
        }
        CompletableFuture<Boolean> deleted = new CompletableFuture<>();
        VoidCallback gone = (code, path, context) -> end(deleted, code, true);
        client.delete(own, -1, gone, null);
        await(deleted);
    }

    /** Whether the root is there. */
    @Override
    public void ask() {
        CompletableFuture<Boolean> answered = new CompletableFuture<>();
        StatCallback answer = (code, path, context, stat) -> end(answered, code, true);
        client.exists("/", false, answer, null);
        await(answered);
    }

    @Override
    public void close() {
        try {
            client.close();
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }
}
