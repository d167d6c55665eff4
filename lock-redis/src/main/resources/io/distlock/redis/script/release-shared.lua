-- Releases a shared lock.
--
-- KEYS[1]  the readers
-- ARGV[4]  token; empty for all that the owner has
-- Reply    1 if the owner was a reader, else 0
-- The rest as in release-exclusive.lua.

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
  -- Under another name, so that a late renewal does not extend it; on Redlock, two readers may share it. Added first: an
  -- empty set is gone, with its time to live.
  local kept = 'kept' .. string.sub(members[1], #owner + 1)
  local expiry = math.max(millis + keep, redis.call('ZSCORE', KEYS[1], kept) or 0)
  redis.call('ZADD', KEYS[1], string.format('%.0f', expiry), kept)
  local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]
  redis.call('PEXPIRE', KEYS[1], string.format('%.0f', last - millis))
end
redis.call('ZREM', KEYS[1], unpack(members))
-- One reader of many matters only to a waiting writer.
if ARGV[2] ~= '' and (not KEYS[2] or redis.call('EXISTS', KEYS[1]) == 0 or redis.call('EXISTS', KEYS[2]) == 1) then
  redis.pcall('PUBLISH', ARGV[2], 1)
end
return 1
