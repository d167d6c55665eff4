package io.distlock.test.process;

import java.util.concurrent.CountDownLatch;

/** A program that makes a temp folder and waits to be killed. */
final class LeftBehindFolder {

    private LeftBehindFolder() {}

    public static void main(String[] arguments) throws InterruptedException {
        System.out.println(TestFolder.create("left-behind").path());
        new CountDownLatch(1).await();
    }
}
