package io.distlock.spring.kotlin

import io.distlock.HeldLock
import io.distlock.LockClient
import io.distlock.engine.LockClientBuilder
import io.distlock.inmemory.InMemoryLockProvider
import io.distlock.spi.LockProvider
import io.distlock.spring.autoconfigure.LockAutoConfiguration
import io.distlock.spring.interceptor.LockAopAutoConfiguration
import io.distlock.support.LockRuntime
import io.distlock.test.provider.FaultyLockProvider
import io.distlock.test.time.ManualScheduler
import io.distlock.test.time.ManualTicker
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.test.context.assertj.AssertableApplicationContext
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration

/** A real context, auto-configured as an application's; time stands still until it is moved, and nobody waits. */
object LockTestContext {

    fun with(bean: Class<*>): ApplicationContextRunner =
        ApplicationContextRunner()
            .withConfiguration(
                AutoConfigurations.of(
                    AopAutoConfiguration::class.java,
                    LockAutoConfiguration::class.java,
                    LockAopAutoConfiguration::class.java,
                ),
            )
            .withUserConfiguration(Manual::class.java)
            .withPropertyValues("distributed-lock.wait-time=0s", "distributed-lock.shutdown-timeout=0s")
            .withBean(bean)

    @Configuration(proxyBeanMethods = false)
    open class Manual {

        @Bean
        open fun ticker() = ManualTicker()

        @Bean
        open fun runtime(ticker: ManualTicker): LockRuntime = ManualScheduler.runtime(ticker)

        @Bean
        open fun provider(runtime: LockRuntime) = FaultyLockProvider(InMemoryLockProvider(runtime))
    }
}

val AssertableApplicationContext.provider: FaultyLockProvider get() = getBean(FaultyLockProvider::class.java)

val AssertableApplicationContext.ticker: ManualTicker get() = getBean(ManualTicker::class.java)

fun AssertableApplicationContext.isFree(name: String): Boolean {
    val client = getBean(LockClient::class.java)
    return client.inspect(client.request(name).keys().single()).isEmpty
}

/** As another process has it. */
fun AssertableApplicationContext.heldByAnother(name: String): HeldLock {
    val other = LockClientBuilder.of(getBean(LockProvider::class.java), getBean(LockRuntime::class.java)).build()
    return other.acquire(other.request(name))
}
