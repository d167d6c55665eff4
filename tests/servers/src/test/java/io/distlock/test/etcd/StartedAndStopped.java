package io.distlock.test.etcd;

/** A program that starts a server and says what came of it. */
final class StartedAndStopped {

    private StartedAndStopped() {}

    public static void main(String[] arguments) {
        try (EtcdServer server = EtcdServer.start()) {
            server.probe().put("key", "value");
            System.out.println("started, keys " + server.probe().keys(""));
        } catch (RuntimeException e) {
            System.out.println(e.getMessage());
        }
    }
}
