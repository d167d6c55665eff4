class Page {}

record Row(String owner, long token, Duration left) {}

interface Table {
    Row take(String key, String owner, Duration timeToLive);

    boolean extend(String key, String owner, Duration timeToLive);

    boolean keep(String key, String owner, Duration time);

    boolean drop(String key, String owner);

    Optional<Row> look(String key);
}

record RowLease(LockKey key, LockMode mode, String owner, FencingToken token, Duration renewedTimeToLive) implements Lease {

    RowLease(LeaseRequest request, long token) {
        this(request.key(), request.mode(), request.owner(), new FencingToken(token), request.renewedTimeToLive());
    }
}
