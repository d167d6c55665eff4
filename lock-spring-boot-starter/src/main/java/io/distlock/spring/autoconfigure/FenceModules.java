package io.distlock.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Stops the start of an application that asks for a fence without what it is made of: nothing would be fenced. */
record FenceModules(Environment environment, @Nullable ClassLoader classLoader) implements InitializingBean {

    @Override
    public void afterPropertiesSet() {
        require("jdbc", "io.distlock.jdbc.fence.JdbcFence", "io.distlock:lock-jdbc-fence");
        require(
                "jdbc",
                "org.springframework.boot.jdbc.init.DatabaseInitializationProperties",
                "org.springframework.boot:spring-boot-starter-jdbc");
        require("r2dbc", "io.distlock.jdbc.fence.R2dbcFence", "io.distlock:lock-jdbc-fence");
        require(
                "r2dbc",
                "org.springframework.r2dbc.connection.R2dbcTransactionManager",
                "org.springframework.boot:spring-boot-starter-r2dbc");
        require("redis", "io.distlock.redis.fence.RedisFence", "io.distlock:lock-redis-fence");
    }

    private void require(String fence, String type, String module) {
        String property = LockProperties.PREFIX + fence + ".fencing.enabled";
        if (environment.getProperty(property, Boolean.class, false) && !ClassUtils.isPresent(type, classLoader)) {
            throw new InvalidConfigurationPropertyValueException(
                    property, true, "nothing would be fenced without " + module + ": add that dependency");
        }
    }
}
