package io.distlock.test.etcd;

/** The calls of etcd's JSON gateway that the probe makes, and what the server's metrics name them. */
enum GatewayCall {
    RANGE("Range", "kv/range"),
    PUT("Put", "kv/put"),
    DELETE("DeleteRange", "kv/deleterange"),
    COMPACT("Compact", "kv/compaction"),
    GRANT("LeaseGrant", "lease/grant"),
    REVOKE("LeaseRevoke", "lease/revoke"),
    KEEP_ALIVE("LeaseKeepAlive", "lease/keepalive"),
    TIME_TO_LIVE("LeaseTimeToLive", "lease/timetolive"),
    LEASES("LeaseLeases", "lease/leases"),
    MEMBERS("MemberList", "cluster/member/list"),
    STATUS("Status", "maintenance/status"),
    MOVE_LEADER("MoveLeader", "maintenance/transfer-leadership"),
    USER_ADD("UserAdd", "auth/user/add"),
    USER_GRANT_ROLE("UserGrantRole", "auth/user/grant"),
    AUTH_ENABLE("AuthEnable", "auth/enable"),
    AUTHENTICATE("Authenticate", "auth/authenticate");

    private final String method;
    private final String path;

    GatewayCall(String method, String path) {
        this.method = method;
        this.path = path;
    }

    String method() {
        return method;
    }

    String path() {
        return "/v3/" + path;
    }
}
