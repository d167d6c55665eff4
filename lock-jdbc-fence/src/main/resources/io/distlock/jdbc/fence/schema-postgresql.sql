-- The newest fencing token that has written under each lock. A row is updated by each transaction of its lock, so
-- pages leave room for new versions of their rows.
create table if not exists distributed_lock_fence (
    lock_key   varchar(512) not null primary key,
    token      bigint       not null,
    provider   varchar(255) not null,
    updated_at timestamp with time zone not null
) with (fillfactor = 70);
