package io.distlock.test.spring;

import io.distlock.test.application.LockTester;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Each test starts without the locks and faults of the previous one, although they share a context. */
final class LockTesterReset implements TestExecutionListener {

    @Override
    public void beforeTestMethod(TestContext test) {
        reset(test);
    }

    @Override
    public void afterTestMethod(TestContext test) {
        reset(test);
    }

    /** Does nothing without a context, or without a tester in it. */
    private static void reset(TestContext test) {
        if (test.hasApplicationContext()) {
            test.getApplicationContext().getBeanProvider(LockTester.class).forEach(LockTester::reset);
        }
    }
}
