package io.distlock.samples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.distlock.LockNotAcquiredException;
import io.distlock.LockUnavailableException;
import io.distlock.test.application.LockTester;
import io.distlock.test.spring.InMemoryLocks;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

/** What the shop does with its lock, tested without a store for it. */
@SpringBootTest(webEnvironment = WebEnvironment.NONE, properties = "flash-sale.think-time=1ms")
@InMemoryLocks
class ShopTests {

    @Autowired
    LockTester locks;

    @Autowired
    Shop shop;

    @Autowired
    SaleBook book;

    private Sale sale;

    @BeforeEach
    void openASale() {
        sale = book.open(true, false);
    }

    private String item() {
        return Long.toString(sale.itemId());
    }

    @Test
    void aSaleIsMadeUnderTheLockOfItsItem() {
        shop.sell(sale.itemId(), "here");

        assertThat(locks.acquired()).containsExactly(sale.lockKey());
        locks.assertThatLock("sale", item()).wasReleased().isFree();
        assertThat(book.tally(sale).sold()).isEqualTo(1);
    }

    @Test
    void withoutTheLockNothingIsSold() {
        locks.refuse("sale", item());

        assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> shop.sell(sale.itemId(), "here"));
        assertThat(book.tally(sale).sold()).isZero();
    }

    @Test
    void aStoreThatIsGoneSellsNothing() {
        locks.failStore();

        assertThatExceptionOfType(LockUnavailableException.class).isThrownBy(() -> shop.sell(sale.itemId(), "here"));
        assertThat(book.tally(sale).sold()).isZero();
    }
}
