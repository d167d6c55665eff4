package io.distlock.jdbc.fence;

import io.distlock.LockMode;
import io.distlock.Sequencer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Histories of one thread's transactions, and what a fence must answer in each of their steps. */
final class RowsModel {

    /** A step of a history. */
    sealed interface Step {}

    record Advance(String provider, Sequencer sequencer) implements Step {}

    /** A transaction; inside another one, that is suspended. */
    record New(List<Step> steps, boolean rollback) implements Step {}

    /** A part of a transaction after a savepoint. */
    record Nested(List<Step> steps, boolean rollback) implements Step {}

    /** Ends the database's transaction, though not Spring's, as some statements do. */
    record CommitByHand() implements Step {}

    /** Another process writes a later token, unless the row is locked. */
    record Overtake(String key) implements Step {}

    record Row(String source, long token) {}

    record Grant(String source, Sequencer sequencer) {
        String key() {
            return sequencer.key().text();
        }
    }

    private static final class Transaction {
        final Set<Grant> advanced = new HashSet<>();
        final Set<Grant> locked = new HashSet<>();
        final Map<Grant, String> refused = new HashMap<>();
        final Set<String> touched = new HashSet<>();
        Map<String, Row> written = new HashMap<>();
    }

    private final boolean reactive;
    private final Map<String, Row> rows = new HashMap<>();
    private final Deque<Transaction> open = new ArrayDeque<>();
    private final List<String> answers = new ArrayList<>();

    /** @param reactive whether it asks the database again for a grant that its own transaction has presented */
    RowsModel(boolean reactive) {
        this.reactive = reactive;
    }

    /** A random transaction with others inside. */
    static New history(Random random, List<Sequencer> grants) {
        return new New(steps(random, grants, 0, false), random.nextInt(4) == 0);
    }

    private static List<Step> steps(Random random, List<Sequencer> grants, int depth, boolean nested) {
        List<Step> steps = new ArrayList<>();
        for (int i = random.nextInt(5); i >= 0; i--) {
            int kind = random.nextInt(depth == 3 ? 7 : 10);
            if (kind == 0 && !nested) {
                steps.add(new CommitByHand());
            } else if (kind <= 2) {
                steps.add(new Overtake(
                        grants.get(random.nextInt(grants.size())).key().text()));
            } else if (kind <= 6) {
                steps.add(new Advance(
                        random.nextInt(8) == 0 ? "etcd" : "redis", grants.get(random.nextInt(grants.size()))));
            } else if (kind <= 8) {
                steps.add(new New(steps(random, grants, depth + 1, false), random.nextInt(4) == 0));
            } else {
                steps.add(new Nested(steps(random, grants, depth + 1, true), random.nextBoolean()));
            }
        }
        return steps;
    }

    /** What the steps are answered, in order; then the rows. */
    List<String> run(Step history) {
        step(history);
        answers.add(text(rows));
        return answers;
    }

    static String text(Map<String, Row> rows) {
        return rows.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .map(row -> row.getKey() + "=" + row.getValue().source() + " "
                        + row.getValue().token())
                .toList()
                .toString();
    }

    private void step(Step step) {
        if (step instanceof Advance advance) {
            answers.add(advance(new Grant(advance.provider() + ":lock", advance.sequencer())));
        } else if (step instanceof New transaction) {
            if (!open.isEmpty()) {
                inOrder(open.getFirst()).forEach(grant -> raise(open.getFirst(), grant));
            }
            open.push(new Transaction());
            transaction.steps().forEach(this::step);
            answers.add(end(transaction.rollback()));
        } else if (step instanceof Nested nested) {
            Transaction current = open.getFirst();
            Map<String, Row> written = new HashMap<>(current.written);
            Set<Grant> locked = Set.copyOf(current.locked);
            Set<Grant> advanced = Set.copyOf(current.advanced);
            Set<String> touched = Set.copyOf(current.touched);
            nested.steps().forEach(this::step);
            if (nested.rollback()) {
                current.written = written;
                current.locked.retainAll(locked);
                current.touched.retainAll(touched);
                if (!reactive) {
                    current.advanced.clear();
                    current.advanced.addAll(advanced);
                }
            }
        } else if (step instanceof CommitByHand) {
            Transaction current = open.getFirst();
            rows.putAll(current.written);
            current.written.clear();
            current.touched.clear();
        } else if (step instanceof Overtake other) {
            boolean free = open.stream().noneMatch(each -> each.touched.contains(other.key()));
            answers.add(free ? "overtaken" : "waits");
            if (free) {
                Row row = rows.get(other.key());
                rows.put(other.key(), new Row("redis:lock", row == null ? 3 : row.token() + 2));
            }
        }
    }

    private String end(boolean rollback) {
        Transaction ended = open.getFirst();
        String answer = rollback ? "rolled back" : "committed";
        if (!rollback) {
            for (Grant grant : inOrder(ended)) {
                String refusal = raise(ended, grant);
                if (!refusal.equals("ok")) {
                    answer = refusal;
                    break;
                }
            }
        }
        if (answer.equals("committed")) {
            rows.putAll(ended.written);
        }
        open.pop();
        return answer;
    }

    private String advance(Grant grant) {
        Transaction current = open.getFirst();
        List<Transaction> outer = open.stream().skip(1).toList();
        if (grant.sequencer().mode() == LockMode.SHARED) {
            return compare(current, grant);
        }
        for (Transaction each : outer) {
            if (each.refused.containsKey(grant)) {
                return each.refused.get(grant);
            }
        }
        if (outer.stream().anyMatch(each -> each.locked.contains(grant))
                || (!reactive && current.locked.contains(grant))) {
            return "ok";
        }
        boolean self = outer.stream()
                .anyMatch(each -> each.locked.stream().anyMatch(one -> one.key().equals(grant.key()))
                        || each.refused.keySet().stream()
                                .anyMatch(one -> one.key().equals(grant.key())));
        return self ? "self" : raise(current, grant);
    }

    private String raise(Transaction transaction, Grant grant) {
        String answer = compare(transaction, grant);
        // H2 also locks the row that refuses.
        transaction.touched.add(grant.key());
        if (answer.equals("ok")) {
            transaction.written.put(
                    grant.key(),
                    new Row(grant.source(), grant.sequencer().token().value()));
            // The row has its token now, which earlier grants of the lock need not have.
            transaction.advanced.removeIf(earlier -> earlier.key().equals(grant.key()));
            transaction.locked.removeIf(earlier -> earlier.key().equals(grant.key()));
            transaction.advanced.add(grant);
            transaction.locked.add(grant);
            transaction.refused.remove(grant);
        } else {
            transaction.locked.remove(grant);
            transaction.refused.put(grant, answer);
        }
        return answer;
    }

    private String compare(Transaction transaction, Grant grant) {
        Row row = transaction.written.getOrDefault(grant.key(), rows.get(grant.key()));
        if (row == null) {
            return "ok";
        }
        if (!row.source().equals(grant.source())) {
            return "other";
        }
        return row.token() <= grant.sequencer().token().value() ? "ok" : "stale";
    }

    private static List<Grant> inOrder(Transaction transaction) {
        return transaction.advanced.stream()
                .sorted(Comparator.comparing(Grant::key))
                .toList();
    }
}
