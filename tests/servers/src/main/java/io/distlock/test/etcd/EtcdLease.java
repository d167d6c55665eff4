package io.distlock.test.etcd;

import com.google.gson.JsonElement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A lease that has not ended.
 *
 * @param id its id
 * @param granted for how long it was granted
 * @param remaining how long it has to live, in full seconds
 * @param keys the keys that end with it
 */
public record EtcdLease(long id, Duration granted, Duration remaining, Set<String> keys) {

    /**
     * Copies.
     *
     * @param id its id
     * @param granted for how long it was granted
     * @param remaining how long it has to live
     * @param keys the keys that end with it
     */
    public EtcdLease {
        keys = Set.copyOf(keys);
    }

    static EtcdLease of(GatewayReply reply) {
        return new EtcdLease(
                reply.number("ID"),
                Duration.ofSeconds(reply.number("grantedTTL")),
                Duration.ofSeconds(reply.number("TTL")),
                reply.elements("keys").stream().map(EtcdLease::key).collect(Collectors.toSet()));
    }

    private static String key(JsonElement element) {
        return new String(Base64.getDecoder().decode(element.getAsString()), StandardCharsets.UTF_8);
    }
}
