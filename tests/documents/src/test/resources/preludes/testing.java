import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.transaction.support.TransactionTemplate;

class Page {
    Carrier carrier;
    String label;
    LockTester locks;
    Orders orders;
    Shop shop;
    Fence fence;
    TransactionTemplate transactions;
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

class StockController {}
