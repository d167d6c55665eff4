package io.distlock.jdbc;

class MariaDbR2dbcFenceTests extends R2dbcFenceContract {

    @Override
    Database start() {
        return Database.mariadb();
    }
}
