-- Precedes a script on a server that may have been a replica since it was admitted: a new master begins a new replication history.
-- Lets the rest run only in the history in which the server was admitted.
--
-- ARGV[#ARGV]  the master_replid of that history

if not string.find(redis.call('INFO', 'replication'), 'master_replid:' .. ARGV[#ARGV], 1, true) then
  return redis.error_reply('NOSCRIPT This server has been a replica since it was admitted.')
end

