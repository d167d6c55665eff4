package io.distlock.samples.flashsale;

/** There has been no sale yet. */
final class NoSaleException extends RuntimeException {

    NoSaleException() {
        super("there has been no sale yet: start one with POST /api/sale?workers=8&lock=true");
    }
}
