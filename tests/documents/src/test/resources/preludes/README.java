class Page {
    LockClient client;
    Stock stock;
}

interface Stock {
    void reserve(FencingToken token);
}
