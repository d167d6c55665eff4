package io.distlock.spring.kotlin

import io.distlock.LockKey
import io.distlock.LockLostException
import io.distlock.LockNotAcquiredException
import io.distlock.spring.DistributedLock
import io.distlock.spring.OnLost
import io.distlock.spring.OnNotAcquired
import io.distlock.spring.ReactiveLockContext
import java.io.IOException
import java.time.Duration
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.boot.test.context.assertj.AssertableApplicationContext

/** Suspending functions: the lock is theirs until they have returned, failed or been cancelled. */
class SuspendingFunctionTests {

    open class Jobs {

        open val calls = AtomicInteger()

        @DistributedLock(name = "job", renew = false)
        open suspend fun <T> run(body: suspend () -> T): T {
            calls.incrementAndGet()
            return body()
        }

        @DistributedLock(name = "job", waitTime = "1m")
        open suspend fun patiently(): String = keys()

        @DistributedLock(name = "job", renew = false, onLost = OnLost.INTERRUPT)
        open suspend fun cancelledOnLoss(started: CompletableDeferred<Unit>): String {
            started.complete(Unit)
            awaitCancellation()
        }

        @DistributedLock(name = "order", key = "#id")
        open suspend fun ofOne(id: Long): String = "$id " + keys()

        @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.SKIP)
        open suspend fun orNull(): String? = "done"

        @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.SKIP)
        open suspend fun orNothing() {
            calls.incrementAndGet()
        }

        @DistributedLock(name = "job", onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "instead")
        open suspend fun orInstead(id: Long): String = "done $id"

        @Suppress("unused") // by its name
        private suspend fun instead(id: Long, why: LockNotAcquiredException): String =
            withContext(Dispatchers.Default) { "$id: another has " + why.key() }

        @DistributedLock("job")
        open fun flow(): Flow<String> = flow { repeat(2) { emit(keys()) } }

        @DistributedLock("job")
        open suspend fun flowLater(): Flow<String> = withContext(Dispatchers.Default) { flow { emit(keys()) } }

        private suspend fun keys() = ReactiveLockContext.current().awaitSingle().keys().toString()
    }

    private fun run(test: suspend AssertableApplicationContext.(Jobs) -> Unit) {
        LockTestContext.with(Jobs::class.java).run { context ->
            runBlocking { context.test(context.getBean(Jobs::class.java)) }
        }
    }

    @Test
    fun theLockIsHeldWhileTheFunctionIsSuspendedAndGivenBackOnce() = run { jobs ->
        val work = CompletableDeferred<String>()
        val result = CoroutineScope(Dispatchers.Default).async { jobs.run { work.await() } }
        await().atMost(Duration.ofMinutes(1)).until { jobs.calls.get() == 1 }
        assertThat(isFree("job")).isFalse()
        work.complete("done")
        assertThat(result.await()).isEqualTo("done")
        assertThat(isFree("job")).isTrue()
        assertThat(provider.releases()).isEqualTo(1)
    }

    @Test
    fun theThreadThatCallsIsNotBlockedWhileAnotherHoldsTheLock() = run { jobs ->
        val other = heldByAnother("job")
        supervisorScope {
            // Up to where it waits for the lock, on this thread; had it blocked, nobody would release the other.
            val waiting = async(start = CoroutineStart.UNDISPATCHED) { jobs.patiently() }
            assertThat(waiting.isCompleted).isFalse()
            other.close()
            assertThat(waiting.await()).isEqualTo("[job]")
        }
    }

    @Test
    fun cancellationWhileItWaitsLeavesNothingBehind() = run { jobs ->
        val other = heldByAnother("job")
        supervisorScope {
            val waiting = launch(start = CoroutineStart.UNDISPATCHED) { jobs.patiently() }
            waiting.cancelAndJoin()
        }
        other.close()
        await().atMost(Duration.ofMinutes(1)).until { isFree("job") }
        assertThat(jobs.patiently()).isEqualTo("[job]")
    }

    @Test
    fun cancellationOfTheFunctionGivesTheLockBackOnce() = run { jobs ->
        val started = CompletableDeferred<Unit>()
        val cancelled = CompletableDeferred<Unit>()
        supervisorScope {
            val running = launch {
                jobs.run<Unit> {
                    started.complete(Unit)
                    try {
                        awaitCancellation()
                    } finally {
                        cancelled.complete(Unit)
                    }
                }
            }
            started.await()
            running.cancelAndJoin()
        }
        cancelled.await()
        await().atMost(Duration.ofMinutes(1)).until { isFree("job") }
        assertThat(provider.releases()).isEqualTo(1)
    }

    @Test
    fun aFailureOfTheFunctionPassesAndTheLockIsGivenBack() = run { jobs ->
        val failure = assertThrows<IOException> { runBlocking { jobs.run<String> { throw IOException("disk") } } }
        assertThat(failure).hasMessage("disk")
        assertThat(isFree("job")).isTrue()
    }

    @Test
    fun whoDoesNotGetTheLockIsTold() = run { jobs ->
        heldByAnother("job").use {
            assertThrows<LockNotAcquiredException> { runBlocking { jobs.run { "never" } } }
            assertThat(jobs.calls).hasValue(0)
        }
    }

    @Test
    fun aCallInsideRunsUnderTheSameLockOnWhicheverThread() = run { jobs ->
        val result = jobs.run { withContext(Dispatchers.Default) { jobs.run { jobs.patiently() } } }
        assertThat(result).isEqualTo("[job]")
        assertThat(provider.acquires()).isEqualTo(1)
        assertThat(provider.releases()).isEqualTo(1)
    }

    @Test
    fun twoCoroutinesOfOneThreadAreTwoContenders() = run { jobs ->
        val work = CompletableDeferred<String>()
        supervisorScope {
            val first = async { jobs.run { work.await() } }
            while (jobs.calls.get() == 0) {
                yield()
            }
            val second = async { jobs.run { "never" } }
            assertThat(runCatching { second.await() }.exceptionOrNull())
                .isInstanceOf(LockNotAcquiredException::class.java)
            work.complete("done")
            assertThat(first.await()).isEqualTo("done")
        }
    }

    @Test
    fun aLossIsToldAtTheEndOfAFunctionThatIsLeftRunning() = run { jobs ->
        val lost = assertThrows<LockLostException> {
            runBlocking { jobs.run { ticker.advance(Duration.ofMinutes(1)) } }
        }
        assertThat(lost.key()).isEqualTo(LockKey.of("job"))
    }

    @Test
    fun interruptCancelsTheFunctionAndTellsOfTheLoss() = run { jobs ->
        val started = CompletableDeferred<Unit>()
        supervisorScope {
            val running = async { jobs.cancelledOnLoss(started) }
            started.await()
            ticker.advance(Duration.ofMinutes(1))
            assertThat(runCatching { running.await() }.exceptionOrNull()).isInstanceOf(LockLostException::class.java)
        }
    }

    @Test
    fun keysAreMadeOfTheWrittenArguments() = run { jobs ->
        assertThat(jobs.ofOne(42)).isEqualTo("42 [order:42]")
    }

    @Test
    fun aFunctionThatMayGiveNullOrNothingCanBeSkipped() = run { jobs ->
        assertThat(jobs.orNull()).isEqualTo("done")
        heldByAnother("job").use {
            assertThat(jobs.orNull()).isNull()
            jobs.orNothing()
            assertThat(jobs.calls).hasValue(0)
        }
    }

    @Test
    fun aSuspendingFunctionStandsInForAnother() = run { jobs ->
        assertThat(jobs.orInstead(1)).isEqualTo("done 1")
        heldByAnother("job").use { assertThat(jobs.orInstead(2)).isEqualTo("2: another has job") }
    }

    @Test
    fun aFlowHasTheLockWhileItIsCollected() = run { jobs ->
        assertThat(jobs.flow().toList()).containsExactly("[job]", "[job]")
        assertThat(jobs.flowLater().toList()).containsExactly("[job]")
        assertThat(isFree("job")).isTrue()
        assertThat(provider.releases()).isEqualTo(2)
    }
}
