-- One row for each lock: its holder, its newest token, its readers, and the writer that waits for them.
-- Times are microseconds since 1970 in UTC by the database's clock: no time zone, no daylight saving.
create table if not exists distributed_lock (
    lock_key      varchar(512) not null primary key,
    owner         varchar(255) not null,
    token         bigint       not null,
    expires_at    bigint       not null,
    readers       varchar(1000000) not null,
    readers_until bigint       not null,
    writer        varchar(255) not null,
    writer_until  bigint       not null
);
