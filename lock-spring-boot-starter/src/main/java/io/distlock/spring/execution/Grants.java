package io.distlock.spring.execution;

import io.distlock.spring.context.Hold;
import io.distlock.spring.context.OuterScope;
import java.util.ArrayList;
import java.util.List;

/**
 * The locks that one call has been granted so far. What is around the call gets them together, once there is none to
 * wait for: of a call that is refused later it keeps nothing. For the steps of one call, which follow one another.
 */
final class Grants {

    private final List<Hold> holds = new ArrayList<>();

    /** One more, which was taken for this call and not for one around it. */
    void add(Hold hold) {
        holds.add(hold);
    }

    /** All are there. */
    void keepIn(OuterScope scope) {
        holds.forEach(scope::keep);
    }
}
