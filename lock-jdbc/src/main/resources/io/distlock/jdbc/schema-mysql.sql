-- One row for each lock: its holder, its newest token, its readers, and the writer that waits for them.
-- Times are microseconds since 1970 in UTC by the database's clock: no time zone, no daylight saving.
-- Keys are compared byte by byte: the usual collations take 'A' for 'a', and two locks would be one.
create table if not exists distributed_lock (
    lock_key      varchar(512) character set utf8mb4 collate utf8mb4_bin not null primary key,
    owner         varchar(255) character set ascii collate ascii_bin not null,
    token         bigint       not null,
    expires_at    bigint       not null,
    readers       mediumtext   character set ascii collate ascii_bin not null,
    readers_until bigint       not null,
    writer        varchar(255) character set ascii collate ascii_bin not null,
    writer_until  bigint       not null
) engine = InnoDB;
