package io.distlock.http;

import org.springframework.context.ConfigurableApplicationContext;

/** Spring MVC. */
class RequireLockTests extends RequireLockContract {

    @Override
    ConfigurableApplicationContext start(String... arguments) {
        return Warehouse.start(arguments);
    }

    @Override
    void writeOutsideOfARequest() {
        context.getBean(Warehouse.Stock.class).write("7");
    }
}
