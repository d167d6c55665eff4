package io.distlock.jdbc.fence.proof;

import org.springframework.transaction.TransactionDefinition;

/**
 * What one writer does under its lock: it books the next number of an account. Nothing but the lock protects the table,
 * so a writer that books what it has read too early books a number twice.
 */
record Work(String table, String account, Form form, Isolation isolation) {

    /** How the work is cut into transactions, and where it pauses. */
    enum Form {
        /** Reads in one transaction, pauses, books in the next. */
        TWO_TRANSACTIONS,
        /** Pauses in the transaction, between reading and booking. */
        IN_TRANSACTION,
        /** Pauses when everything has been checked, right before the database commits. */
        AT_COMMIT
    }

    /** The isolation levels. */
    enum Isolation {
        READ_COMMITTED(TransactionDefinition.ISOLATION_READ_COMMITTED),
        REPEATABLE_READ(TransactionDefinition.ISOLATION_REPEATABLE_READ),
        SERIALIZABLE(TransactionDefinition.ISOLATION_SERIALIZABLE);

        final int level;

        Isolation(int level) {
            this.level = level;
        }
    }

    String select() {
        return "select coalesce(max(number), 0) from " + table + " where account = ?";
    }

    String insert() {
        return "insert into " + table + " (account, number, token) values (?, ?, ?)";
    }
}
