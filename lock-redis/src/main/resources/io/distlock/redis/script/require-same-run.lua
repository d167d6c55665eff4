-- Precedes a script before Redis 7, where scripts come back with a snapshot and reach replicas. Lets the rest run only in
-- the process that was admitted.
--
-- ARGV[#ARGV]  the run_id of that process

if not string.find(redis.call('INFO', 'server'), 'run_id:' .. ARGV[#ARGV], 1, true) then
  return redis.error_reply('NOSCRIPT This server has been restarted since it was admitted.')
end

