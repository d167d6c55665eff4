class Page {
    Pager pager;
}

interface Pager {
    void call(LockLoss loss);
}
