class Page {
    Stock stock;
}

interface Stock {
    Mono<Void> reserve(String item, FencingToken token);
}
