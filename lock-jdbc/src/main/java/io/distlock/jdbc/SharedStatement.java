package io.distlock.jdbc;

import io.distlock.jdbc.DatabaseCalls.Urgency;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;

/**
 * Requests of one kind that wait while the connections are busy share the next statement, as transactions share a write to the log
 * in a group commit. Nothing waits for company. A statement ends within the time of the request that leads it, which is
 * the one that has waited longest. Thread-safe.
 *
 * @param <A> the answer to one request
 */
final class SharedStatement<A> {

    private final DatabaseCalls calls;
    private final Urgency urgency;
    private final Work<A> work;
    private final Queue<Request<A>> waiting = new ConcurrentLinkedQueue<>();

    /** Answers to requests, in their order. No two have the same key. */
    @FunctionalInterface
    interface Work<A> {

        List<A> with(LockSql sql, NamedParameterJdbcOperations database, List<MapSqlParameterSource> requests);
    }

    /** Whoever removes it from those that wait serves it. */
    private record Request<A>(MapSqlParameterSource parameters, long until, CompletableFuture<A> answer) {

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
        Request<A> request = new Request<>(parameters, calls.until(), new CompletableFuture<>());
        send(request);
        return request.answer;
    }

    private void send(Request<A> request) {
        waiting.add(request);
        CompletableFuture<Boolean> call = calls.call(urgency, request.until, new Led(request));
        call.whenComplete((done, failure) -> {
            if (failure != null) {
                request.answer.completeExceptionally(failure);
            }
        });
        // Answered by another one's statement, given up or cancelled: it needs none of its own.
        request.answer.whenComplete((answer, failure) -> call.cancel(false));
    }

    /** A statement for a request, and for those that wait behind it. */
    private final class Led implements DatabaseCalls.Work<Boolean> {

        private final Request<A> leader;
        private boolean begun;

        Led(Request<A> leader) {
            this.leader = leader;
        }

        @Override
        public Boolean with(LockSql sql, NamedParameterJdbcOperations database) {
            begun = begun || waiting.remove(leader);
            if (begun) {
                List<Request<A>> together = together(sql.mostTogether());
                List<MapSqlParameterSource> requests =
                        together.stream().map(Request::parameters).toList();
                try {
                    List<A> answers = work.with(sql, database, requests);
                    for (int each = 0; each < answers.size(); each++) {
                        together.get(each).answer.complete(answers.get(each));
                    }
                } catch (ConcurrencyFailureException | DuplicateKeyException loser) {
                    // Nothing is applied: this one is repeated, and the others may be gone by then.
                    together.subList(1, together.size()).forEach(SharedStatement.this::send);
                    throw loser;
                } catch (RuntimeException | Error failure) {
                    together.forEach(each -> each.answer.completeExceptionally(failure));
                    throw failure;
                }
            }
            return begun;
        }

        private List<Request<A>> together(int most) {
            Map<String, Request<A>> together = new LinkedHashMap<>();
            together.put(leader.key(), leader);
            Iterator<Request<A>> others = waiting.iterator();
            while (together.size() < most && others.hasNext()) {
                Request<A> next = others.next();
                if (next.answer.isDone()) {
                    waiting.remove(next);
                } else if (!together.containsKey(next.key()) && waiting.remove(next)) {
                    together.put(next.key(), next);
                }
            }
            return List.copyOf(together.values());
        }
    }
}
