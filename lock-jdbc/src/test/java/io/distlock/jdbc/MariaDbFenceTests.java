package io.distlock.jdbc;

class MariaDbFenceTests extends JdbcFenceContract {

    @Override
    Database start() {
        return Database.mariadb();
    }
}
