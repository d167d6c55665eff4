package io.distlock.jdbc;

import io.distlock.jdbc.DatabaseCalls.Urgency;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;

/**
 * Requests of one kind that wait while the connections are busy share the next statement, as transactions share a write to the log
 * in a group commit. Nothing waits for company. A statement ends within the time of the request that leads it, so only those
 * join it who lose at most half of their own by that. If the database refuses one of them, each is sent by itself. Thread-safe.
 *
 * @param <A> the answer to one request
 */
final class SharedStatement<A> {

    private final DatabaseCalls calls;
    private final Urgency urgency;
    private final Work<A> work;

    /** In their order; guarded by itself. Whoever removes a request serves it. */
    private final Set<Request<A>> waiting = new LinkedHashSet<>();

    /** Answers to requests, in their order. No two have the same key. */
    @FunctionalInterface
    interface Work<A> {

        List<A> with(LockSql sql, NamedParameterJdbcOperations database, List<MapSqlParameterSource> requests);
    }

    private static final class Request<A> {

        private final MapSqlParameterSource parameters;
        private final long until;
        private final CompletableFuture<A> answer = new CompletableFuture<>();

        /** Has shared a statement that was refused. */
        private volatile boolean alone;

        Request(MapSqlParameterSource parameters, long until) {
            this.parameters = parameters;
            this.until = until;
        }

        String key() {
            return LockSql.key(parameters);
        }
    }

    SharedStatement(DatabaseCalls calls, Urgency urgency, Work<A> work) {
        this.calls = calls;
        this.urgency = urgency;
        this.work = work;
    }

    /** As {@link DatabaseCalls#call}. */
    CompletableFuture<A> call(MapSqlParameterSource parameters) {
        Request<A> request = new Request<>(parameters, calls.until());
        send(request);
        return calls.limited(request.until, request.answer);
    }

    /** How many no statement has yet. */
    int waiting() {
        synchronized (waiting) {
            return waiting.size();
        }
    }

    /** Whether nobody else serves it. */
    private boolean claim(Request<A> request) {
        synchronized (waiting) {
            return waiting.remove(request);
        }
    }

    private void send(Request<A> request) {
        synchronized (waiting) {
            waiting.add(request);
        }
        Led led = new Led(request);
        CompletableFuture<Boolean> sent = calls.submit(urgency, request.until, led);
        sent.whenComplete((done, failure) -> {
            // What another statement has is neither unsent nor over.
            if (failure != null && (led.begun || claim(request))) {
                request.answer.completeExceptionally(failure);
            }
        });
        request.answer.whenComplete((answer, failure) -> {
            sent.cancel(false);
            claim(request);
        });
    }

    /** A statement for a request, and for those that wait behind it. */
    private final class Led implements DatabaseCalls.Work<Boolean> {

        private final Request<A> leader;
        private volatile boolean begun;

        Led(Request<A> leader) {
            this.leader = leader;
        }

        @Override
        public Boolean with(LockSql sql, NamedParameterJdbcOperations database) {
            begun = begun || claim(leader);
            if (begun) {
                serve(sql, database, together(leader.alone ? 1 : sql.mostTogether()));
            }
            return begun;
        }

        private void serve(LockSql sql, NamedParameterJdbcOperations database, List<Request<A>> together) {
            List<MapSqlParameterSource> requests =
                    together.stream().map(each -> each.parameters).toList();
            try {
                List<A> answers = work.with(sql, database, requests);
                for (int each = 0; each < answers.size(); each++) {
                    together.get(each).answer.complete(answers.get(each));
                }
            } catch (ConcurrencyFailureException | DataIntegrityViolationException refused) {
                // Nothing is applied.
                if (together.size() == 1) {
                    throw refused;
                }
                together.forEach(each -> {
                    each.alone = true;
                    send(each);
                });
            } catch (RuntimeException | Error failure) {
                together.forEach(each -> each.answer.completeExceptionally(failure));
                throw failure;
            }
        }

        private List<Request<A>> together(int most) {
            Map<String, Request<A>> together = new LinkedHashMap<>();
            together.put(leader.key(), leader);
            long left = calls.left(leader.until);
            synchronized (waiting) {
                Iterator<Request<A>> others = waiting.iterator();
                while (together.size() < most && others.hasNext()) {
                    Request<A> next = others.next();
                    boolean joins = !next.alone && calls.left(next.until) / 2 <= left;
                    if (joins && together.putIfAbsent(next.key(), next) == null) {
                        others.remove();
                    }
                }
            }
            return List.copyOf(together.values());
        }
    }
}
