package io.distlock.etcd;

import io.distlock.spi.LeaseRequest;
import io.etcd.jetcd.ByteSequence;

/** One key in a lock's queue, which exists or is about to. It is taken at most once, if the session's epoch is this. */
record QueuePlace(LeaseRequest request, ByteSequence key, Session session, int attempt, long epoch) {}
