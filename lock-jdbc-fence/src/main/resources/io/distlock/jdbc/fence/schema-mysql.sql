-- The newest fencing token that has written under each lock. Keys are compared byte by byte.
-- Times are in UTC.
create table if not exists distributed_lock_fence (
    lock_key   varchar(512) character set utf8mb4 collate utf8mb4_bin not null primary key,
    token      bigint       not null,
    provider   varchar(255) character set utf8mb4 collate utf8mb4_bin not null,
    updated_at datetime(6) not null
) engine = InnoDB;
