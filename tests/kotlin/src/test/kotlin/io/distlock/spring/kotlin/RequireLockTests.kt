package io.distlock.spring.kotlin

import io.distlock.engine.LockClientBuilder
import io.distlock.http.LockHttpServerAutoConfiguration
import io.distlock.http.LockRequirementException
import io.distlock.http.RequireLock
import io.distlock.support.LockRuntime
import java.util.concurrent.CopyOnWriteArrayList
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.mock.http.server.reactive.MockServerHttpRequest
import org.springframework.mock.web.server.MockServerWebExchange
import org.springframework.web.filter.reactive.ServerWebExchangeContextFilter

/** Suspending functions of a receiver in WebFlux. */
class RequireLockTests {

    open class Stock {

        open val written = CopyOnWriteArrayList<String>()

        @RequireLock(name = "stock", key = "#item")
        open suspend fun write(item: String): String {
            yield()
            written += item
            return "written"
        }

        @RequireLock(name = "stock", key = "#item")
        open suspend fun count(item: String): Flow<Int> {
            written += item
            return flow { emit(1) }
        }

        @RequireLock(name = "stock", key = "#item")
        open fun read(item: String): Flow<String> = flow {
            emit("$item 1")
            emit("$item 2")
        }
    }

    @Test
    fun aSuspendingFunctionAndAFlowAreCheckedBeforeTheyRun() {
        LockTestContext.with(Stock::class.java)
            .withConfiguration(AutoConfigurations.of(LockHttpServerAutoConfiguration::class.java))
            .run { context ->
                val stock = context.getBean(Stock::class.java)
                assertThrows<LockRequirementException> { request(null) { stock.write("7") } }
                assertThrows<LockRequirementException> { request(null) { stock.read("7").toList() } }
                assertThrows<LockRequirementException> { request(null) { stock.count("7").toList() } }
                assertThat(stock.written).isEmpty()
                val sender = LockClientBuilder.of(context.provider, context.getBean(LockRuntime::class.java)).build()
                val lock = sender.acquire(sender.request("stock", "7"))
                val value = lock.sequencers().single().text()
                assertThat(request(value) { stock.write("7") }).isEqualTo("written")
                assertThat(request(value) { stock.read("7").toList() }).containsExactly("7 1", "7 2")
                assertThat(request(value) { stock.count("7").toList() }).containsExactly(1)
                assertThrows<LockRequirementException> { request(value) { stock.write("8") } }
                assertThat(stock.written).containsExactly("7", "7")
            }
    }

    private fun <T : Any> request(value: String?, call: suspend () -> T): T? {
        val request = MockServerHttpRequest.post("/")
        value?.let { request.header("Lock-Sequencer", it) }
        val exchange = MockServerWebExchange.from(request)
        return mono { call() }
            .contextWrite { it.put(ServerWebExchangeContextFilter.EXCHANGE_CONTEXT_ATTRIBUTE, exchange) }
            .block()
    }
}
