package io.distlock.applications.wallets;

import io.distlock.FencingToken;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import java.util.function.Consumer;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class WalletService {

    private final Wallets wallets;

    WalletService(Wallets wallets) {
        this.wallets = wallets;
    }

    /** The last steps still run in the transaction. */
    @DistributedLock(name = "wallets", key = "#id")
    @Transactional
    public FencingToken pay(long id, int amount, Consumer<FencingToken> lastSteps) {
        FencingToken token = LockContext.current().fencingToken();
        wallets.save(wallets.findById(id).orElseThrow().plus(amount));
        lastSteps.accept(token);
        return token;
    }
}
