package io.distlock.spring.kotlin

import io.distlock.spring.DistributedLock
import io.distlock.spring.OnNotAcquired
import io.distlock.spring.interceptor.InvalidLockedMethodsException
import java.util.concurrent.CompletableFuture
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Job
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** Suspending functions that cannot be locked as they are written. */
class SuspendingFunctionMistakesTests {

    open class SkipsToNoNull {

        @DistributedLock(onNotAcquired = OnNotAcquired.SKIP)
        open suspend fun run(): String = "done"
    }

    open class GivesAFuture {

        @DistributedLock
        open suspend fun run(): CompletableFuture<String> = CompletableFuture.completedFuture("")
    }

    open class GivesAJob {

        @DistributedLock
        open fun run(): Job = CompletableDeferred("").also { it.complete("") }
    }

    open class FallsBackToOneThatDoesNotSuspend {

        @DistributedLock(onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "instead")
        open suspend fun run(id: Long): String = "done $id"

        open fun instead(id: Long): String = "instead $id"
    }

    open class FallsBackToAnotherType {

        @DistributedLock(onNotAcquired = OnNotAcquired.FALLBACK, fallbackMethod = "instead")
        open suspend fun run(id: Long): String = "done $id"

        open suspend fun instead(id: Long): Int = id.toInt()
    }

    class IsFinal {

        @DistributedLock
        suspend fun run() {}
    }

    private fun assertRefused(bean: Class<*>, vararg parts: String) {
        LockTestContext.with(bean).run { context ->
            val failure = assertThat(context.startupFailure).isInstanceOf(InvalidLockedMethodsException::class.java)
            failure.hasMessageContaining(bean.simpleName + ".run(")
            parts.forEach { failure.hasMessageContaining(it) }
        }
    }

    @Test
    fun skipNeedsAFunctionThatMayGiveNull() =
        assertRefused(SkipsToNoNull::class.java, "SKIP has no empty value for the return type java.lang.String")

    @Test
    fun aFutureInsideASuspendingFunctionCannotBeWaitedFor() =
        assertRefused(GivesAFuture::class.java, "CompletableFuture", "it cannot be determined when")

    /** In contrast to a Deferred, which Spring can adapt. */
    @Test
    fun aJobGoesOnAfterTheFunctionHasReturned() =
        assertRefused(GivesAJob::class.java, "a kotlinx.coroutines.Job does its work after the method has returned", "suspend")

    @Test
    fun aFallbackSuspendsAsTheFunctionDoes() =
        assertRefused(FallsBackToOneThatDoesNotSuspend::class.java, "run(long)", "no method 'instead' has")

    @Test
    fun aFallbackGivesWhatTheFunctionGives() =
        assertRefused(FallsBackToAnotherType::class.java, "does not fit this method")

    @Test
    fun classesAreFinalUnlessToldOtherwise() = assertRefused(IsFinal::class.java, "in Kotlin: open")
}
