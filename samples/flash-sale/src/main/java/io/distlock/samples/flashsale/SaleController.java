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

    SaleController(SaleBook book, SalesFloor floor, SaleViews views) {
        this.book = book;
        this.floor = floor;
        this.views = views;
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
    SaleView start(@RequestParam(defaultValue = "8") int workers, @RequestParam(defaultValue = "true") boolean lock) {
        Workers crowd = new Workers(workers);
        Sale sale = book.open(lock);
        floor.join(sale, crowd);
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
