package io.distlock.applications.accounts;

import io.distlock.FencingToken;
import io.distlock.spring.DistributedLock;
import io.distlock.spring.LockContext;
import java.util.function.Consumer;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class AccountService {

    private final Accounts accounts;

    AccountService(Accounts accounts) {
        this.accounts = accounts;
    }

    /** The change is flushed by the commit. The last steps still run in the transaction. */
    @DistributedLock(name = "accounts", key = "#id")
    @Transactional
    public FencingToken pay(long id, int amount, Consumer<FencingToken> lastSteps) {
        FencingToken token = LockContext.current().fencingToken();
        accounts.findById(id).orElseThrow().pay(amount);
        lastSteps.accept(token);
        return token;
    }
}
