package io.distlock.engine.simulation;

import io.distlock.HeldLock;
import io.distlock.LockListener;
import io.distlock.LockLoss;
import io.distlock.Release;

/** The events of one request, or of one grant: each comes after the right one, and the last comes once. */
final class EventOrder implements LockListener.OfRequest {

    private enum State {
        ASKED,
        GRANTED,
        NOT_ACQUIRED,
        FAILED,
        RELEASED,
        LOST
    }

    final SimulatedProcess process;
    private final VirtualTime time;
    private final String what;
    private State state;
    private boolean abandoned;

    private EventOrder(VirtualTime time, SimulatedProcess process, String what, State state) {
        this.time = time;
        this.process = process;
        this.what = what;
        this.state = state;
    }

    static EventOrder ofRequest(VirtualTime time, SimulatedProcess process, String what) {
        return new EventOrder(time, process, what, State.ASKED);
    }

    static EventOrder ofGrant(VirtualTime time, SimulatedProcess process, String what) {
        return new EventOrder(time, process, what, State.GRANTED);
    }

    private void advance(State from, State to) {
        String how = this + ", then " + to;
        time.check(() -> SimulationChecks.require(state == from, how));
        state = to;
    }

    @Override
    public void granted(HeldLock lock) {
        advance(State.ASKED, State.GRANTED);
    }

    @Override
    public void notAcquired() {
        advance(State.ASKED, State.NOT_ACQUIRED);
    }

    @Override
    public void failed(Throwable cause) {
        advance(State.ASKED, State.FAILED);
    }

    void renewed() {
        advance(State.GRANTED, State.GRANTED);
    }

    @Override
    public void released(Release outcome) {
        advance(State.GRANTED, State.RELEASED);
    }

    @Override
    public void lost(LockLoss loss) {
        advance(State.GRANTED, State.LOST);
        abandoned = loss.reason() == LockLoss.Reason.CLIENT_CLOSED;
    }

    boolean isOver() {
        return state != State.ASKED && state != State.GRANTED;
    }

    /** Whether the store keeps the grant after its end: its holder may still be working, or has a lock-delay. */
    boolean mayStay(boolean delayed) {
        return abandoned || (delayed && state == State.LOST);
    }

    @Override
    public String toString() {
        return what + ": " + state;
    }
}
