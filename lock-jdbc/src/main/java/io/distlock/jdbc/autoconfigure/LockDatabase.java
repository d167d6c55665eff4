package io.distlock.jdbc.autoconfigure;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.distlock.jdbc.JdbcLockConnections;
import io.distlock.jdbc.JdbcLockOptions;
import java.util.Optional;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.core.env.Environment;

/**
 * Where the locks are, by connections of their own: made like those of the {@link LockDataSource}, if there is one, otherwise
 * like the application's.
 */
final class LockDatabase implements AutoCloseable {

    private static final String HOW = "define a DataSource bean of their own for the locks, with @LockDataSource and"
            + " @Bean(defaultCandidate = false), or choose another lock provider";

    private final DataSource dataSource;

    private LockDatabase(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    static LockDatabase of(
            ObjectProvider<DataSource> chosen,
            ObjectProvider<DataSource> all,
            ObjectProvider<JdbcConnectionDetails> details,
            JdbcLockOptions options,
            Environment environment) {
        DataSource own = chosen.getIfAvailable();
        if (own != null) {
            return new LockDatabase(like(own)
                    .<DataSource>map(config -> JdbcLockConnections.like(config, options))
                    .orElse(own));
        }
        DataSource application = all.getIfUnique();
        if (application == null) {
            throw new IllegalStateException("there are several DataSources, and none is the locks': " + HOW);
        }
        HikariConfig config = like(application)
                .or(() -> Optional.ofNullable(details.getIfUnique()).map(those -> of(those, environment)))
                .orElseThrow(() -> new IllegalStateException("the connections of the DataSource "
                        + application.getClass().getName() + " cannot be made again for the locks: " + HOW));
        return new LockDatabase(JdbcLockConnections.like(config, options));
    }

    /** The settings of Hikari's pool, whatever is wrapped around it. */
    private static Optional<HikariConfig> like(DataSource dataSource) {
        return Optional.ofNullable(DataSourceUnwrapper.unwrap(dataSource, HikariDataSource.class));
    }

    /** As Boot makes a pool of Hikari's. */
    private static HikariConfig of(JdbcConnectionDetails details, Environment environment) {
        HikariConfig config =
                Binder.get(environment).bindOrCreate("spring.datasource.hikari", Bindable.of(HikariConfig.class));
        config.setJdbcUrl(details.getJdbcUrl());
        config.setUsername(details.getUsername());
        config.setPassword(details.getPassword());
        config.setDriverClassName(details.getDriverClassName());
        return config;
    }

    DataSource dataSource() {
        return dataSource;
    }

    /** Closes only what was made here. */
    @Override
    public void close() {
        if (dataSource instanceof JdbcLockConnections own) {
            own.close();
        }
    }
}
