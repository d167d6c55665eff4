package io.distlock.applications.orders;

import io.distlock.applications.orders.OrderService.Shipment;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class OrderController {

    private final OrderService orders;
    private final Purchases purchases;
    private final JdbcTemplate jdbc;

    OrderController(OrderService orders, Purchases purchases, JdbcTemplate jdbc) {
        this.orders = orders;
        this.purchases = purchases;
        this.jdbc = jdbc;
    }

    @PostMapping("/orders/{id}/ship")
    Shipment ship(@PathVariable("id") long id) {
        return orders.ship(id);
    }

    @PostMapping("/orders/{id}/pack")
    int pack(@PathVariable("id") long id) {
        return orders.pack(id);
    }

    @PostMapping("/orders/{id}/inspect")
    void inspect(@PathVariable("id") long id) throws InterruptedException {
        orders.inspect(id);
    }

    @PostMapping("/orders/{id}/mail")
    CompletableFuture<Shipment> mail(@PathVariable("id") long id) {
        return orders.mail(id);
    }

    /** Loads the order before the lock; then another instance changes it. */
    @PostMapping("/orders/{id}/check")
    List<String> check(@PathVariable("id") long id) {
        Purchase loaded = purchases.findById(id).orElseThrow();
        jdbc.update("update purchase set state = 'paid' where id = ? and state = ?", id, loaded.state());
        return orders.statesUnderTheLock(id);
    }

    @PostMapping("/nightly")
    ResponseEntity<String> nightly() {
        return ResponseEntity.of(orders.nightly());
    }
}
