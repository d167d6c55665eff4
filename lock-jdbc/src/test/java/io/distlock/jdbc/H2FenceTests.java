package io.distlock.jdbc;

class H2FenceTests extends JdbcFenceContract {

    @Override
    Database start() {
        return Database.h2();
    }
}
