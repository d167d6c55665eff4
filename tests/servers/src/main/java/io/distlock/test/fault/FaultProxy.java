package io.distlock.test.fault;

import io.distlock.test.process.FreePort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on a loopback port that does to connections what networks do: it freezes, delays, loses, cuts and refuses.
 * It passes everything on until told otherwise. Bytes from the client are requests, bytes from the server replies,
 * messages that the server pushes included.
 *
 * <p>A fault holds for all connections, those to come included, and for bytes that have not been delivered when it is
 * set; bytes that are being delivered at that moment may still arrive. When the server closes or breaks a connection,
 * so does the proxy, at once.
 *
 * <p>Safe for use by several threads. Its own are daemons.
 */
public final class FaultProxy implements AutoCloseable {

    private static final int PORTS_TO_TRY = 10;
    private static final int CONNECT_MILLIS = 2_000;

    private final Gate gate = new Gate();
    private final Rules requests = new Rules(gate);
    private final Rules replies = new Rules(gate);
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final InetSocketAddress address;
    private volatile InetSocketAddress target;
    private volatile IntPredicate severed = port -> false;
    private volatile boolean closed;
    private @Nullable Acceptor acceptor;

    private FaultProxy(InetSocketAddress target) {
        this.target = target;
        Acceptor first = listenSomewhere();
        this.address = first.address();
        this.acceptor = first;
    }

    /**
     * Starts a proxy. The server need not be there yet.
     *
     * @param host the server's host
     * @param port the server's port
     * @return a proxy that accepts connections
     */
    public static FaultProxy to(String host, int port) {
        return new FaultProxy(new InetSocketAddress(host, port));
    }

    /**
     * The host to connect to, by address.
     *
     * @return the host
     */
    public String host() {
        return address.getAddress().getHostAddress();
    }

    /**
     * The port to connect to. It stays the same while connections are refused.
     *
     * @return the port
     */
    public int port() {
        return address.getPort();
    }

    /**
     * How many connections there are.
     *
     * @return the number
     */
    public int connections() {
        return links.size();
    }

    /** Holds all bytes back, both ways, until {@link #thaw()}; connections stay open and new ones are accepted. */
    public void freeze() {
        gate.shut();
    }

    /** Delivers what was held back, and goes on. */
    public void thaw() {
        gate.open();
    }

    /** Breaks all connections there are, so that both sides see a reset. New ones are accepted. */
    public void cut() {
        links.forEach(Link::cut);
    }

    // The next two may run one at a time only, and both end within a bounded time: hence the monitor around their I/O.

    /** Refuses new connections, as a host does on which nobody listens, until {@link #accept()}. Others stay. */
    public synchronized void refuse() {
        Acceptor current = acceptor;
        if (current != null) {
            acceptor = null;
            current.close();
        }
    }

    /** Accepts new connections again, on the same port. */
    public synchronized void accept() {
        if (acceptor == null && !closed) {
            try {
                acceptor = Acceptor.on(port(), this::connect);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot listen on %s again".formatted(address), e);
            }
        }
    }

    /**
     * Leads connections to come to another server, as an address does that was given away. Those there are stay.
     *
     * @param host the other server's host
     * @param port the other server's port
     */
    public void leadTo(String host, int port) {
        target = new InetSocketAddress(host, port);
    }

    /** Loses all requests: the server never sees them. The client waits. */
    public void dropRequests() {
        requests.drop();
    }

    /** Loses all replies: the server does what it is told, but the client never learns. */
    public void dropReplies() {
        replies.drop();
    }

    /** Once, loses the next request, of whichever connection, and breaks that connection: it was not carried out. */
    public void cutBeforeNextRequest() {
        requests.cutBeforeNext();
    }

    /** Once, loses the next reply, of whichever connection, and breaks that connection: the request was carried out. */
    public void cutBeforeNextReply() {
        replies.cutBeforeNext();
    }

    /**
     * Delivers replies that come from now on later, in their order.
     *
     * @param time how much later; zero for no delay
     */
    public void delayReplies(Duration time) {
        replies.delay(time);
    }

    /**
     * Breaks the connections of some clients, and those that they make from now on, until {@link #pass()}. Others go on.
     *
     * @param clients which, by the port from which a client has connected; asked once for each connection
     */
    public void sever(IntPredicate clients) {
        severed = clients;
        links.stream().filter(link -> clients.test(link.clientPort())).forEach(Link::cut);
    }

    /**
     * Loses all bytes of some connections from now on, both ways, and leaves them open, as a firewall does that has forgotten
     * them. Others go on, and so do those to come.
     *
     * @param connections which, by the port from which the proxy has connected to the server, as {@code CLIENT LIST} shows it
     */
    public void silence(IntPredicate connections) {
        links.stream().filter(link -> connections.test(link.serversPort())).forEach(Link::silence);
    }

    /**
     * As {@link #silence}, but for the connections of some clients.
     *
     * @param clients which, by the port from which a client has connected
     */
    public void silenceClients(IntPredicate clients) {
        links.stream().filter(link -> clients.test(link.clientPort())).forEach(Link::silence);
    }

    /**
     * Back to normal: undoes each of the above. Connections that have lost bytes are broken, since TCP never loses any
     * from the middle: what came next would be taken for the reply to another request.
     */
    public void pass() {
        requests.clear();
        replies.clear();
        severed = port -> false;
        links.stream().filter(Link::isTorn).forEach(Link::cut);
        accept();
        thaw();
    }

    /** Ends the proxy and all its connections. */
    @Override
    public void close() {
        closed = true;
        refuse();
        cut();
    }

    private Acceptor listenSomewhere() {
        for (int tries = 1; ; tries++) {
            try {
                return Acceptor.on(FreePort.next(), this::connect);
            } catch (BindException taken) {
                if (tries == PORTS_TO_TRY) {
                    throw new UncheckedIOException(taken);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void connect(Socket client) {
        IntPredicate refused = severed;
        if (refused.test(client.getPort())) {
            Link.breakOff(client);
            return;
        }
        Socket server = new Socket();
        try {
            server.connect(target, CONNECT_MILLIS);
            server.setTcpNoDelay(true);
            client.setTcpNoDelay(true);
        } catch (IOException unreachable) {
            Link.breakOff(server);
            Link.breakOff(client);
            return;
        }
        Link link = new Link(client, server, requests, replies, links::remove);
        links.add(link);
        link.start();
        // Whoever was severed in between has not been among the links.
        if (severed != refused && severed.test(link.clientPort())) {
            link.cut();
        }
    }
}
