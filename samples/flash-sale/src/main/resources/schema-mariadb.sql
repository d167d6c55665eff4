-- schema.sql for MariaDB. Each sale offers an item of its own, so the latest item is the current sale.
create table if not exists item (
    id            bigint auto_increment primary key,
    initial_stock int     not null,
    stock         int     not null,
    with_lock     boolean not null,
    fenced        boolean not null
);

create table if not exists sold (
    id      bigint auto_increment primary key,
    item_id bigint      not null references item (id),
    seller  varchar(64) not null
);

create index if not exists sold_by_item on sold (item_id, seller);
