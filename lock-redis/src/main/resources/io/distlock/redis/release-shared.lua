-- Gives a shared lock back.
--
-- KEYS[1]  the readers: a sorted set of "owner:token" by expiry, in the server's milliseconds
-- KEYS[2]  the waiting writer
-- ARGV[1]  owner
-- ARGV[2]  the channel on which a release is announced; empty to say nothing
-- ARGV[3]  for how many ms the lock stays taken nevertheless; 0 frees it now
-- ARGV[4]  token; empty if the owner does not know it
--
-- The announcement may be forbidden to this user (ACL channels): the lock is given back nevertheless, and whoever
-- waits is told when it subscribes.
--
-- Reply    1 if the owner was a reader, else 0

local owner, keep, token = ARGV[1], tonumber(ARGV[3]), ARGV[4]

local time = redis.call('TIME')
local millis = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('(%.0f', millis))

local member = owner .. ':' .. token
if token == '' then
  for _, each in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if string.sub(each, 1, #owner + 1) == owner .. ':' then
      member = each
    end
  end
end

if redis.call('ZREM', KEYS[1], member) == 0 then
  return 0
end
if keep > 0 then
  -- Under another name, so that a renewal that comes late does not extend it.
  redis.call('ZADD', KEYS[1], string.format('%.0f', millis + keep), 'kept' .. string.sub(member, #owner + 1))
  -- The set lasts as long as its last reader.
  local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', last - millis))
end
-- One reader of many matters to nobody but a writer that waits.
if ARGV[2] ~= '' and (redis.call('EXISTS', KEYS[1]) == 0 or redis.call('EXISTS', KEYS[2]) == 1) then
  redis.pcall('PUBLISH', ARGV[2], 1)
end
return 1
