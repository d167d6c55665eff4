package io.distlock.applications.accounts;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

@Entity
class Account {

    @Id
    private long id;

    private int balance;

    @Version
    private int version;

    /** For JPA. */
    protected Account() {}

    Account(long id) {
        this.id = id;
    }

    long id() {
        return id;
    }

    int balance() {
        return balance;
    }

    void pay(int amount) {
        balance += amount;
    }

    int version() {
        return version;
    }
}
