class Page {
    LockClient client;
    LockTemplate locks;
    Stock stock;
    String orderId;
    List<String> orderIds;

    Receipt ship(String orderId) {
        return new Receipt();
    }
}

class Receipt {}

interface Stock {
    void reserve(FencingToken token);
}
