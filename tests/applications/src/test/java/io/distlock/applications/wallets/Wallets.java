package io.distlock.applications.wallets;

import org.springframework.data.jdbc.repository.query.Modifying;
import org.springframework.data.jdbc.repository.query.Query;
import org.springframework.data.repository.CrudRepository;
import org.springframework.data.repository.query.Param;

interface Wallets extends CrudRepository<Wallet, Long> {

    @Modifying
    @Query("update wallet set balance = balance + :amount where id = :id")
    void add(@Param("id") long id, @Param("amount") int amount);
}
