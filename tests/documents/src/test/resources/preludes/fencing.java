import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KV;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.PutOption;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

class Page {
    JdbcTemplate jdbc;
    TransactionTemplate transactions;
    Fence fence;
    RedisFence redisFence;
    EtcdFence etcdFence;
    HeldLock heldLock;
    KV kv;
    ByteSequence key;
    ByteSequence value;
    Stock stock;
    ReactiveStock reactiveStock;
    String item;
    int pieces;
}

interface Stock {
    void set(String item, int pieces);
}

interface ReactiveStock {
    Mono<Void> set(String item, int pieces);
}
