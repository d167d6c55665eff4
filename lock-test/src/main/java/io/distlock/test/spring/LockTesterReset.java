package io.distlock.test.spring;

import io.distlock.test.application.LockTester;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Lets each test begin without the locks and the faults of the one before, though they share a context. */
final class LockTesterReset implements TestExecutionListener {

    @Override
    public void beforeTestMethod(TestContext test) {
        reset(test);
    }

    @Override
    public void afterTestMethod(TestContext test) {
        reset(test);
    }

    /** Where there is no context yet, or one without a tester, there is nothing to be done. */
    private static void reset(TestContext test) {
        if (test.hasApplicationContext()) {
            test.getApplicationContext().getBeanProvider(LockTester.class).forEach(LockTester::reset);
        }
    }
}
