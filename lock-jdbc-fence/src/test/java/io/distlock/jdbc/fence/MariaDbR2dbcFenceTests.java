package io.distlock.jdbc.fence;

class MariaDbR2dbcFenceTests extends R2dbcFenceContract {

    @Override
    Database start() {
        return Database.mariadb();
    }
}
