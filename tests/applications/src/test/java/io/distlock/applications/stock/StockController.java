package io.distlock.applications.stock;

import io.distlock.applications.stock.StockService.Reservation;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
class StockController {

    private final StockService stock;

    StockController(StockService stock) {
        this.stock = stock;
    }

    @PostMapping("/stock/{item}/reserve")
    Mono<Reservation> reserve(@PathVariable("item") String item) {
        return stock.reserve(item);
    }

    @GetMapping("/stock/{item}/count")
    Mono<Integer> count(@PathVariable("item") String item) {
        return stock.count(item);
    }

    @PostMapping("/stock/{from}/move/{to}")
    Mono<List<String>> move(@PathVariable("from") String from, @PathVariable("to") String to) {
        return stock.move(from, to).collectList();
    }

    @PostMapping("/stock/{item}/tidy")
    Mono<String> tidy(@PathVariable("item") String item) {
        return stock.tidy(item).defaultIfEmpty("skipped");
    }

    @GetMapping("/stock/{item}/price")
    Mono<String> price(@PathVariable("item") String item) {
        return stock.price(item);
    }
}
