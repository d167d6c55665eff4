import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

class Page {
    JdbcTemplate jdbc;
    TransactionTemplate transactions;
    Fence fence;
    HeldLock heldLock;
    String item;
    int pieces;
}
