package io.distlock.applications.orders;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

@Entity
class Purchase {

    @Id
    private long id;

    private String state = "new";

    private int parcels;

    /** For JPA. */
    protected Purchase() {}

    Purchase(long id) {
        this.id = id;
    }

    long id() {
        return id;
    }

    String state() {
        return state;
    }

    void become(String next) {
        state = next;
    }

    int parcels() {
        return parcels;
    }

    void pack(int count) {
        parcels = count;
    }
}
