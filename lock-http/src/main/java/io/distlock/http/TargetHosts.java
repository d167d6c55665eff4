package io.distlock.http;

import java.net.URI;
import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The hosts that sequencers are sent to: names, or names with a port. */
record TargetHosts(Set<String> hosts) {

    static TargetHosts of(Collection<String> hosts) {
        for (String host : hosts) {
            // "::1" would be taken for a name with a port.
            boolean bareAddress = !host.strip().startsWith("[") && host.indexOf(':') != host.lastIndexOf(':');
            if (host.isBlank() || host.contains("/") || host.contains("*") || bareAddress) {
                throw new IllegalArgumentException("\"" + host
                        + "\" is not a host: write its name, such as stock.example.com, or its name and port, such as"
                        + " stock:8443, and an IPv6 address in brackets, such as [::1]");
            }
        }
        return new TargetHosts(hosts.stream()
                .map(host -> host.strip().toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet()));
    }

    boolean isEmpty() {
        return hosts.isEmpty();
    }

    boolean includes(URI uri) {
        if (uri.getHost() == null) {
            return false;
        }
        String host = uri.getHost().toLowerCase(Locale.ROOT);
        return hosts.contains(host) || hosts.contains(host + ":" + port(uri));
    }

    private static int port(URI uri) {
        return uri.getPort() >= 0 ? uri.getPort() : "https".equalsIgnoreCase(uri.getScheme()) ? 443 : 80;
    }
}
