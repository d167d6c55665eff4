package io.distlock.spring.kotlin

import io.distlock.LockEvent
import io.distlock.LockListener
import io.distlock.LockLostException
import io.distlock.spring.DistributedLock
import io.distlock.spring.transaction.LockTransactionAutoConfiguration
import io.distlock.test.time.ManualTicker
import io.r2dbc.spi.ConnectionFactories
import io.r2dbc.spi.ConnectionFactory
import java.time.Duration
import java.util.UUID
import java.util.concurrent.CopyOnWriteArrayList
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.r2dbc.connection.R2dbcTransactionManager
import org.springframework.r2dbc.core.DatabaseClient
import org.springframework.transaction.annotation.EnableTransactionManagement
import org.springframework.transaction.annotation.Transactional
import reactor.core.scheduler.Schedulers

/** Suspending functions with a lock and a transaction, on a real database with its R2DBC driver. */
class SuspendingTransactionTests {

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    open class Application {

        @Bean
        open fun connections(): ConnectionFactory =
            ConnectionFactories.get("r2dbc:h2:mem:///" + UUID.randomUUID() + "?options=DB_CLOSE_DELAY=-1")

        @Bean
        open fun transactionManager(connections: ConnectionFactory) = R2dbcTransactionManager(connections)

        @Bean
        open fun table(connections: ConnectionFactory) = Table(DatabaseClient.create(connections))
    }

    class Table(private val client: DatabaseClient) : LockListener {

        val seenAtRelease = CopyOnWriteArrayList<Int>()

        init {
            client.sql("create table item(name varchar(20))").then().block()
        }

        suspend fun insert(name: String) {
            client.sql("insert into item(name) values (:name)").bind("name", name).then().awaitSingleOrNull()
        }

        /** As another connection sees them. */
        fun rows(): Int =
            client.sql("select name from item").map { row -> row.get(0, String::class.java)!! }.all().collectList()
                .subscribeOn(Schedulers.boundedElastic()).block()!!.size

        override fun onEvent(event: LockEvent) {
            if (event is LockEvent.Released) {
                seenAtRelease.add(rows())
            }
        }
    }

    open class Orders(private val table: Table, private val ticker: ManualTicker) {

        @Transactional
        @DistributedLock(name = "orders", renew = false, leaseTime = "10s")
        open suspend fun order(lose: Boolean) {
            table.insert("one")
            if (lose) {
                ticker.advance(Duration.ofSeconds(11))
            }
        }
    }

    private fun run(test: (Orders, Table) -> Unit) {
        LockTestContext.with(Orders::class.java)
            .withConfiguration(
                AutoConfigurations.of(
                    LockTransactionAutoConfiguration::class.java,
                ),
            )
            .withUserConfiguration(Application::class.java)
            .run { context -> test(context.getBean(Orders::class.java), context.getBean(Table::class.java)) }
    }

    @Test
    fun theLockIsGivenBackAfterTheCommit() = run { orders, table ->
        runBlocking { orders.order(lose = false) }
        assertThat(table.rows()).isEqualTo(1)
        assertThat(table.seenAtRelease).containsExactly(1)
    }

    @Test
    fun nothingIsCommittedUnderALockThatIsLost() = run { orders, table ->
        assertThrows<LockLostException> { runBlocking { orders.order(lose = true) } }
        assertThat(table.rows()).isZero()
    }
}
