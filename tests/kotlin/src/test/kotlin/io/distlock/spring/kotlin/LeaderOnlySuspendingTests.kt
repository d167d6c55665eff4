package io.distlock.spring.kotlin

import io.distlock.leader.LeaderElection
import io.distlock.spring.ReactiveLockContext
import io.distlock.spring.leader.LeaderAutoConfiguration
import io.distlock.spring.leader.LeaderElections
import io.distlock.spring.leader.LeaderOnly
import io.distlock.spring.leader.NotLeaderException
import java.time.Duration
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.assertj.AssertableApplicationContext

/** Suspending functions that only the leader runs: they are in its term until they have returned. */
class LeaderOnlySuspendingTests {

    open class Jobs {

        @LeaderOnly("report")
        open suspend fun token(): Long? {
            yield()
            return ReactiveLockContext.current().awaitSingle().fencingToken().value()
        }

        @LeaderOnly(role = "report", otherwise = LeaderOnly.Otherwise.THROW)
        open suspend fun <T> strict(body: suspend () -> T): T = body()
    }

    private fun run(test: suspend AssertableApplicationContext.(Jobs) -> Unit) {
        LockTestContext.with(Jobs::class.java)
            .withConfiguration(AutoConfigurations.of(LeaderAutoConfiguration::class.java))
            .withPropertyValues("distributed-lock.leader.roles.report.auto-start=false")
            .run { context -> runBlocking { context.test(context.getBean(Jobs::class.java)) } }
    }

    private val AssertableApplicationContext.election: LeaderElection
        get() = getBean(LeaderElections::class.java).get("report")

    private fun AssertableApplicationContext.lead() {
        election.stand()
        await().atMost(Duration.ofMinutes(1)).until { election.isLeader }
    }

    @Test
    fun theLeaderRunsThemInItsTerm() = run { jobs ->
        lead()
        assertThat(jobs.token()).isEqualTo(election.term().orElseThrow().token().value())
        assertThat(jobs.strict { "ran" }).isEqualTo("ran")
    }

    @Test
    fun elsewhereTheyGiveNothingOrThrow() = run { jobs ->
        assertThat(jobs.token()).isNull()
        assertThrows<NotLeaderException> { jobs.strict { "ran" } }
    }

    @Test
    fun theLockIsGivenBackWhenOneThatIsSuspendedHasReturned() = run { jobs ->
        lead()
        val work = CompletableDeferred<String>()
        val withdrawn = coroutineScope {
            val running = async(start = CoroutineStart.UNDISPATCHED) { jobs.strict { work.await() } }
            val withdrawn = election.withdraw().toCompletableFuture()
            assertThat(election.isLeader).isFalse()
            assertThat(withdrawn.isDone).isFalse()
            work.complete("done")
            assertThat(running.await()).isEqualTo("done")
            withdrawn
        }
        await().atMost(Duration.ofMinutes(1)).until { withdrawn.isDone }
    }
}
