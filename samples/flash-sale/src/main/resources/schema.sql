-- Each sale offers an item of its own, so the latest item is the current sale.
create table if not exists item (
    id            bigint generated always as identity primary key,
    initial_stock int     not null,
    stock         int     not null,
    with_lock     boolean not null,
    fenced        boolean not null
);

create table if not exists sold (
    id      bigint generated always as identity primary key,
    item_id bigint      not null references item,
    seller  varchar(64) not null
);

create index if not exists sold_by_item on sold (item_id, seller);

create table if not exists report (
    id         bigint generated always as identity primary key,
    instance   varchar(64) not null,
    term       bigint      not null,
    sold       int         not null,
    written_at timestamp with time zone not null default current_timestamp
);
