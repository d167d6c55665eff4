class Page {
    Carrier carrier;
    String label;
    LockTester locks;
    Orders orders;
    Shop shop;
}

interface Carrier {
    String collect(long orderId);
}

interface Order {
    boolean isShipped();
}

interface Orders {
    Order find(long orderId);
}

interface Shop {
    void ship(long orderId);
}
