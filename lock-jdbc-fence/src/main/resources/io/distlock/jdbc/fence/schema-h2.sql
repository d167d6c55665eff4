-- The newest fencing token that has written under each lock.
create table if not exists distributed_lock_fence (
    lock_key   varchar(512) not null primary key,
    token      bigint       not null,
    provider   varchar(255) not null,
    updated_at timestamp(6) with time zone not null
);
