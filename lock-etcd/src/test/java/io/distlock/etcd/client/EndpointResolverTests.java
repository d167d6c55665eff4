package io.distlock.etcd.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.Status;
import io.grpc.SynchronizationContext;
import io.grpc.internal.GrpcUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Lookups are done when a test says so: until then, they hang. */
class EndpointResolverTests {

    private static final URI ONE = URI.create("http://one.test:2379");
    private static final URI TWO = URI.create("http://two.test");

    private final Map<String, InetAddress> names = new HashMap<>();
    private final Queue<Runnable> lookups = new ArrayDeque<>();
    private boolean outOfThreads;
    private final List<String> told = new ArrayList<>();
    private final EndpointResolver resolvers = new EndpointResolver(List.of(ONE, TWO), this::addresses);

    private InetAddress[] addresses(String host) throws UnknownHostException {
        InetAddress known = names.get(host);
        if (known == null) {
            throw new UnknownHostException(host);
        }
        return new InetAddress[] {known};
    }

    private void name(String host, int lastByte) throws UnknownHostException {
        names.put(host, InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) lastByte}));
    }

    private NameResolver start() {
        SynchronizationContext context = new SynchronizationContext((thread, failure) -> {
            throw new AssertionError(failure);
        });
        NameResolver resolver = resolvers.newNameResolver(
                URI.create(resolvers.target()),
                NameResolver.Args.newBuilder()
                        .setDefaultPort(80)
                        .setProxyDetector(GrpcUtil.NOOP_PROXY_DETECTOR)
                        .setSynchronizationContext(context)
                        .setServiceConfigParser(new NameResolver.ServiceConfigParser() {
                            @Override
                            public NameResolver.@Nullable ConfigOrError parseServiceConfig(Map<String, ?> config) {
                                return null;
                            }
                        })
                        .setOffloadExecutor(this::execute)
                        .build());
        resolver.start(new NameResolver.Listener2() {
            @Override
            public void onResult(NameResolver.ResolutionResult result) {
                told.add(describe(result.getAddressesOrError().getValue()));
            }

            @Override
            public void onError(Status error) {
                told.add(error.getCode() + ": " + error.getDescription());
            }
        });
        return resolver;
    }

    private static String describe(List<EquivalentAddressGroup> groups) {
        return String.join(
                " ",
                groups.stream()
                        .flatMap(group -> group.getAddresses().stream())
                        .map(address -> (InetSocketAddress) address)
                        .map(address -> address.isUnresolved()
                                ? "?"
                                : address.getAddress().getHostAddress() + ':' + address.getPort())
                        .toList());
    }

    private void execute(Runnable lookup) {
        if (outOfThreads) {
            throw new InternalError("on purpose");
        }
        lookups.add(lookup);
    }

    private void answerAll() {
        Stream.generate(lookups::poll).takeWhile(lookup -> lookup != null).forEach(Runnable::run);
    }

    @Test
    void oneWhoseNameHangsHoldsNoOtherUp() throws UnknownHostException {
        name("one.test", 1);
        start();
        assertThat(told).isEmpty();
        lookups.remove().run();
        assertThat(told).containsExactly("10.0.0.1:2379 ?");
    }

    @Test
    void aNameThatCannotBeResolvedAnyMoreKeepsItsAddress() throws UnknownHostException {
        name("one.test", 1);
        name("two.test", 2);
        NameResolver resolver = start();
        answerAll();
        assertThat(told).last().isEqualTo("10.0.0.1:2379 10.0.0.2:2379");
        names.clear();
        resolver.refresh();
        answerAll();
        assertThat(told).last().isEqualTo("10.0.0.1:2379 10.0.0.2:2379");
    }

    @Test
    void aNewAddressTakesThePlaceOfTheOldOne() throws UnknownHostException {
        name("one.test", 1);
        NameResolver resolver = start();
        answerAll();
        name("one.test", 3);
        name("two.test", 2);
        resolver.refresh();
        answerAll();
        assertThat(told).last().isEqualTo("10.0.0.3:2379 10.0.0.2:2379");
    }

    @Test
    void aNameIsLookedUpOnceAtATime() {
        NameResolver resolver = start();
        resolver.refresh();
        resolver.refresh();
        assertThat(lookups).hasSize(2);
    }

    @Test
    void afterALongRestTheLastAddressesAreStillKnown() throws UnknownHostException {
        name("one.test", 1);
        NameResolver before = start();
        answerAll();
        before.shutdown();
        told.clear();
        start();
        assertThat(told).containsExactly("10.0.0.1:2379 ?");
    }

    @Test
    void onlyWhenNoNameCanBeResolvedIsItAnError() {
        start();
        lookups.remove().run();
        assertThat(told).isEmpty();
        lookups.remove().run();
        assertThat(told)
                .containsExactly(
                        "UNAVAILABLE: none of the etcd endpoints' host names can be resolved: check the endpoints and"
                                + " DNS; java.net.UnknownHostException: two.test");
    }

    /** What a resolver throws ends its channel for good. */
    @Test
    void aLackOfThreadsIsAFailureLikeOthers() throws UnknownHostException {
        name("one.test", 1);
        NameResolver resolver = start();
        answerAll();
        outOfThreads = true;
        resolver.refresh();
        assertThat(told).last().isEqualTo("10.0.0.1:2379 ?");
        outOfThreads = false;
        resolver.refresh();
        assertThat(lookups).hasSize(2);
    }

    @Test
    void whatIsFoundAfterTheEndIsToldToNobody() throws UnknownHostException {
        name("one.test", 1);
        start().shutdown();
        answerAll();
        assertThat(told).isEmpty();
    }
}
