package io.distlock.samples.flashsale;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;

/** The shop with all that shows its locks, started once for all tests that look at it. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "distributed-lock.instance-id=here",
            "distributed-lock.redis.call-timeout=10s",
            "distributed-lock.redis.connect-timeout=10s",
            "management.endpoint.locks.force-release=true",
            "management.prometheus.metrics.export.enabled=true"
        })
@AutoConfigureRestTestClient
@Import(SaleHttpTests.Servers.class)
@interface OperatedShop {}
