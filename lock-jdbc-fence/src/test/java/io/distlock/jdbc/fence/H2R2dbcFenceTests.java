package io.distlock.jdbc.fence;

class H2R2dbcFenceTests extends R2dbcFenceContract {

    @Override
    Database start() {
        return Database.h2();
    }
}
