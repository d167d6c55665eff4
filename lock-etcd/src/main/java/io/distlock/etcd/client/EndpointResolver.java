package io.distlock.etcd.client;

import io.grpc.Attributes;
import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.NameResolverRegistry;
import io.grpc.Status;
import io.grpc.StatusOr;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the host names of one connection's endpoints. A name whose lookup fails or hangs keeps its last known addresses:
 * the driver's own resolver looks names up on the thread that reads the connections, and replaces good addresses with an
 * error. Everything but the lookups happens in the channel's synchronization context.
 */
public final class EndpointResolver extends NameResolverProvider implements AutoCloseable {

    private static final int DEFAULT_PORT = 2379;

    /** Looks up a name, and may block. */
    public interface Lookup {
        InetAddress[] addresses(String host) throws UnknownHostException;
    }

    private final String scheme = "etcd-" + UUID.randomUUID();
    private final List<URI> endpoints;
    private final Lookup lookup;

    /** Outlives the resolvers: the channel makes a new one after each long idle period. */
    private final Map<String, List<InetAddress>> found = new HashMap<>();

    public EndpointResolver(List<URI> endpoints, Lookup lookup) {
        this.endpoints = endpoints.stream().distinct().toList();
        this.lookup = lookup;
    }

    /** Lets gRPC find this resolver by its {@link #target} until it is closed. */
    public void register() {
        NameResolverRegistry.getDefaultRegistry().register(this);
    }

    @Override
    public void close() {
        NameResolverRegistry.getDefaultRegistry().deregister(this);
    }

    public String target() {
        return scheme + ":///endpoints";
    }

    @Override
    public String getDefaultScheme() {
        return scheme;
    }

    @Override
    protected boolean isAvailable() {
        return true;
    }

    @Override
    protected int priority() {
        return 0;
    }

    @Override
    public NameResolver newNameResolver(URI target, NameResolver.Args args) {
        return new Resolver(args);
    }

    private final class Resolver extends NameResolver {

        private final Args channel;
        private final Executor mayBlock;
        private final Set<String> pending = new HashSet<>();
        private @Nullable Listener2 listener;

        Resolver(Args channel) {
            this.channel = channel;
            this.mayBlock = Objects.requireNonNull(channel.getOffloadExecutor(), "no executor for lookups");
        }

        @Override
        public String getServiceAuthority() {
            return "";
        }

        @Override
        public void start(Listener2 addresses) {
            listener = addresses;
            if (!found.isEmpty()) {
                publish(addresses);
            }
            refresh();
        }

        @Override
        public void refresh() {
            endpoints.stream().map(URI::getHost).filter(pending::add).forEach(this::begin);
        }

        private void begin(String host) {
            try {
                mayBlock.execute(() -> lookUp(host));
            } catch (RuntimeException | Error noThread) {
                // Rethrown, it would end the channel for good.
                answered(host, noThread.toString());
            }
        }

        private void lookUp(String host) {
            try {
                List<InetAddress> addresses = List.of(lookup.addresses(host));
                channel.getSynchronizationContext().execute(() -> {
                    found.put(host, addresses);
                    answered(host, "");
                });
            } catch (UnknownHostException | RuntimeException | Error failure) {
                channel.getSynchronizationContext().execute(() -> answered(host, failure.toString()));
            }
        }

        private void answered(String host, String failure) {
            pending.remove(host);
            Listener2 current = listener;
            if (current == null) {
                return;
            }
            if (!found.isEmpty()) {
                publish(current);
            } else if (pending.isEmpty()) {
                current.onError(Status.UNAVAILABLE.withDescription(
                        "none of the etcd endpoints' host names can be resolved: check the endpoints and DNS; "
                                + failure));
            }
        }

        private void publish(Listener2 current) {
            current.onResult(ResolutionResult.newBuilder()
                    .setAddressesOrError(StatusOr.fromValue(
                            endpoints.stream().map(EndpointResolver.this::group).toList()))
                    .build());
        }

        @Override
        public void shutdown() {
            listener = null;
        }
    }

    /** A name that was never resolved stays a name: the channel fails to connect to it, and asks again. */
    private EquivalentAddressGroup group(URI endpoint) {
        String host = endpoint.getHost();
        int port = endpoint.getPort() < 0 ? DEFAULT_PORT : endpoint.getPort();
        List<InetAddress> known = found.getOrDefault(host, List.of());
        List<SocketAddress> addresses = known.isEmpty()
                ? List.of(InetSocketAddress.createUnresolved(host, port))
                : known.stream()
                        .<SocketAddress>map(each -> new InetSocketAddress(each, port))
                        .toList();
        // With TLS, each member must prove that it is the one named, unless an authority is configured for all.
        return new EquivalentAddressGroup(
                addresses,
                Attributes.newBuilder()
                        .set(EquivalentAddressGroup.ATTR_AUTHORITY_OVERRIDE, host + ':' + port)
                        .build());
    }
}
