package io.distlock.applications.stock;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** WebFlux with locked publishers. */
@SpringBootApplication
class StockApplication {}
