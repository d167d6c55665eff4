package io.distlock.test.process;

/** Prints a thousand ports that it has taken. */
final class PortTaker {

    private PortTaker() {}

    public static void main(String[] arguments) {
        for (int number = 0; number < 1_000; number++) {
            System.out.println(FreePort.next());
        }
    }
}
