package io.distlock.applications.wallets;

import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

@Table
record Wallet(@Id long id, int balance) {

    Wallet plus(int amount) {
        return new Wallet(id, balance + amount);
    }
}
