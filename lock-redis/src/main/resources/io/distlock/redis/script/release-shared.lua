-- Releases a shared lock.
--
-- KEYS[1]  the readers: a sorted set of "owner:token" by expiry, in the server's milliseconds
-- KEYS[2]  the waiting writer; left out while the keys of the slot move to another node of a cluster
-- ARGV[1]  owner
-- ARGV[2]  the channel on which a release is published; empty for none
-- ARGV[3]  for how many ms the lock stays taken nevertheless; 0 frees it now
-- ARGV[4]  token; empty for all that the owner has
--
-- This user may lack the right to publish (ACL channels): the lock is released nevertheless, and waiters learn of it when
-- they subscribe.
--
-- Reply    1 if the owner was a reader, else 0

local owner, keep, token = ARGV[1], tonumber(ARGV[3]), ARGV[4]

local time = redis.call('TIME')
local millis = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('(%.0f', millis))

local members = {}
if token ~= '' and redis.call('ZSCORE', KEYS[1], owner .. ':' .. token) then
  members[1] = owner .. ':' .. token
elseif token == '' then
  for _, each in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if string.sub(each, 1, #owner + 1) == owner .. ':' then
      members[#members + 1] = each
    end
  end
end
if #members == 0 then
  return 0
end

if keep > 0 then
  -- Under another name, so that a renewal that comes late does not extend it. Before the reader goes: a set that is
  -- empty is gone, with its time to live.
  redis.call('ZADD', KEYS[1], string.format('%.0f', millis + keep), 'kept' .. string.sub(members[1], #owner + 1))
  local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', last - millis))
end
redis.call('ZREM', KEYS[1], unpack(members))
-- One reader of many matters only to a waiting writer.
if ARGV[2] ~= '' and (not KEYS[2] or redis.call('EXISTS', KEYS[1]) == 0 or redis.call('EXISTS', KEYS[2]) == 1) then
  redis.pcall('PUBLISH', ARGV[2], 1)
end
return 1
