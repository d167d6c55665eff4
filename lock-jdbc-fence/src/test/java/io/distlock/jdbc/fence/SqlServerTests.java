package io.distlock.jdbc.fence;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.distlock.test.sql.SqlServer;
import io.distlock.test.sql.SqlServer.Product;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

class SqlServerTests {

    /** Where folders are shared, a MariaDB that starts deletes the temporary tables of one that runs. */
    @Test
    void aServerLeavesTheTemporaryTablesOfOthersAlone() throws SQLException {
        try (SqlServer running = SqlServer.start(Product.MARIADB);
                Connection connection = DriverManager.getConnection(running.url(), running.user(), "");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TEMPORARY TABLE scratch (id INT) ENGINE=Aria");
            SqlServer.start(Product.MARIADB).close();

            assertThatCode(() -> statement.execute("DROP TEMPORARY TABLE scratch"))
                    .doesNotThrowAnyException();
        }
    }
}
