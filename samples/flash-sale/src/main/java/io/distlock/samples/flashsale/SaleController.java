package io.distlock.samples.flashsale;

import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The sale over HTTP. */
@RestController
@RequestMapping("/api/sale")
final class SaleController {

    private final SaleBook book;
    private final SalesFloor floor;
    private final SaleViews views;
    private final Freezer freezer;

    SaleController(SaleBook book, SalesFloor floor, SaleViews views, Freezer freezer) {
        this.book = book;
        this.floor = floor;
        this.views = views;
        this.freezer = freezer;
    }

    /** The latest sale, on whichever instance it was started; no content if there was none yet. */
    @GetMapping
    ResponseEntity<SaleView> look() {
        return book.latest()
                .map(sale -> ResponseEntity.ok(views.view(sale)))
                .orElseGet(() -> ResponseEntity.noContent().build());
    }

    /** Starts a sale of a new item, in the place of the one before, with workers of this instance. */
    @PostMapping
    SaleView start(
            @RequestParam(defaultValue = "8") int workers,
            @RequestParam(defaultValue = "true") boolean lock,
            @RequestParam(defaultValue = "false") boolean fenced) {
        Workers crowd = new Workers(workers);
        Sale sale = book.open(lock, lock && fenced);
        floor.join(sale, crowd);
        return views.view(sale);
    }

    /** Freezes this instance as soon as one of its workers is in the middle of a sale. */
    @PostMapping("/freeze")
    SaleView freeze() {
        Sale sale = book.latest().orElseThrow(NoSaleException::new);
        if (!sale.withLock() || floor.shift(sale).atWork() == 0) {
            throw new CannotFreezeException(
                    "no worker of this instance is selling under the lock: start a sale, or join");
        }
        freezer.ask();
        return views.view(sale);
    }

    /** Adds workers of this instance to the latest sale. */
    @PostMapping("/workers")
    SaleView join(@RequestParam(defaultValue = "8") int workers) {
        Sale sale = book.latest().orElseThrow(NoSaleException::new);
        floor.join(sale, new Workers(workers));
        return views.view(sale);
    }
}
