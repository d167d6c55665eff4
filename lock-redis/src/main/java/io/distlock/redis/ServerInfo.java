package io.distlock.redis;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** What a server says of itself in answer to INFO. */
record ServerInfo(Map<String, String> fields) {

    ServerInfo {
        fields = Map.copyOf(fields);
    }

    static ServerInfo parse(String text) {
        Map<String, String> fields = new HashMap<>();
        text.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                fields.put(line.substring(0, colon), line.substring(colon + 1));
            }
        });
        return new ServerInfo(fields);
    }

    Optional<String> field(String name) {
        return Optional.ofNullable(fields.get(name));
    }

    /** Another one after each start of the server. */
    String runId() {
        return field("run_id").orElse("unknown");
    }

    /** Another one each time the server becomes a master; from INFO's section "replication". */
    String history() {
        return field("master_replid").orElse("unknown");
    }

    Duration uptime() {
        return Duration.ofSeconds(
                field("uptime_in_seconds").map(Long::parseLong).orElse(0L));
    }

    int majorVersion() {
        String version = field("redis_version").orElse("0");
        int dot = version.indexOf('.');
        return Integer.parseInt(dot < 0 ? version : version.substring(0, dot));
    }
}
