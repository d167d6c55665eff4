import org.springframework.jdbc.core.JdbcTemplate;

class Page {
    JdbcTemplate jdbc;
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
