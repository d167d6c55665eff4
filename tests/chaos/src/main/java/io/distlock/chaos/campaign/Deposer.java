package io.distlock.chaos.campaign;

import io.distlock.LockException;
import io.distlock.LockKey;
import io.distlock.LockStatus;
import io.distlock.chaos.client.Access;
import io.distlock.chaos.client.Keys;
import io.distlock.chaos.history.Entry.Kind;
import io.distlock.chaos.history.Journal;
import java.util.List;
import java.util.Random;

/** Takes the lead away from leaders, as an operator would: releases their locks by force, past the network. For one thread. */
final class Deposer implements AutoCloseable {

    private final Access access;
    private final Journal journal;
    private final Random random;

    Deposer(List<String> address, Journal journal, Random random) {
        this.access = Access.to(address);
        this.journal = journal;
        this.random = random;
    }

    /** Deposes the leader of one role, if it has one and the store answers. */
    void depose() {
        LockKey role = Keys.role(random.nextInt(Keys.ROLES));
        try {
            access.locks()
                    .inspect(role)
                    .flatMap(status -> status.holders().stream().findFirst())
                    .flatMap(LockStatus.Holder::token)
                    .ifPresent(token -> {
                        // Written first, so that the effect cannot be earlier.
                        journal.now(Kind.FORCED, role.text(), token.value());
                        access.locks().forceRelease(role, token);
                    });
        } catch (LockException unavailable) {
            // The store does not answer at present.
        }
    }

    @Override
    public void close() {
        access.close();
    }
}
