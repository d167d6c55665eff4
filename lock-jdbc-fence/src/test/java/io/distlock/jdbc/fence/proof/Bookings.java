package io.distlock.jdbc.fence.proof;

import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;

/** What the writers have left behind in one table. */
record Bookings(JdbcTemplate jdbc, String table) {

    void create() {
        jdbc.execute("create table " + table
                + " (account varchar(100) not null, number int not null, token bigint not null)");
        jdbc.execute("create index " + table + "_number on " + table + " (account, number)");
    }

    /** How often somebody booked a number that was booked already: it has not seen the other's booking. */
    int lostUpdates(String account) {
        return tokens(account).size() - distinct(account);
    }

    /** How often a number was booked under an older lock than the one before it. */
    int steppedBack(String account) {
        List<Long> tokens = tokens(account);
        int count = 0;
        for (int i = 1; i < tokens.size(); i++) {
            if (tokens.get(i) < tokens.get(i - 1)) {
                count++;
            }
        }
        return count;
    }

    boolean has(String account, long token) {
        return tokens(account).contains(token);
    }

    private List<Long> tokens(String account) {
        return jdbc.queryForList(
                "select token from " + table + " where account = ? order by number, token", Long.class, account);
    }

    private int distinct(String account) {
        Integer count = jdbc.queryForObject(
                "select count(distinct number) from " + table + " where account = ?", Integer.class, account);
        return count == null ? 0 : count;
    }
}
