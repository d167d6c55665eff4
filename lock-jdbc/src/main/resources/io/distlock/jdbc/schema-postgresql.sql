-- One row for each lock: its holder, its newest token, its readers, the writer that waits for them, and whether a release is to be
-- announced.
-- Times are microseconds since 1970 in UTC by the database's clock: no time zone, no daylight saving.
-- A row is updated by each acquisition and release, so pages leave room for new versions of their rows.
create table if not exists distributed_lock (
    lock_key      varchar(512) collate "C" not null primary key,
    owner         varchar(255) not null,
    token         bigint       not null,
    expires_at    bigint       not null,
    readers       text         not null,
    readers_until bigint       not null,
    writer        varchar(255) not null,
    writer_until  bigint       not null,
    waited        boolean      not null default false
) with (fillfactor = 70);
