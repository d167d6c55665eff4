-- Extends many leases; never shortens one.
--
-- KEYS[i]      of an exclusive lease the lock, of a shared one the readers
-- ARGV[3i-2]   "exclusive" or "shared"
-- ARGV[3i-1]   "owner:token" of the lease
-- ARGV[3i]     for how many ms from now it is to last
--
-- Reply        for each lease 1 if it lasts, 0 if it is gone
-- pcall        a key of another type spoils its own lease only

local time = redis.call('TIME')
local millis = time[1] * 1000 + math.floor(time[2] / 1000)

-- All at once; nothing for a key of another type.
local values = redis.call('MGET', unpack(KEYS))

local function renew_exclusive(i, value, ttl)
  if values[i] ~= value then
    return 0
  end
  if redis.call('PTTL', KEYS[i]) < ttl then
    redis.call('PEXPIRE', KEYS[i], string.format('%.0f', ttl))
  end
  return 1
end

local function renew_shared(i, member, ttl)
  local readers = KEYS[i]
  -- First: with its memory full, Redis lets a script add something only after another write.
  redis.pcall('ZREMRANGEBYSCORE', readers, '-inf', string.format('(%.0f', millis))
  local expiry = tonumber(redis.pcall('ZSCORE', readers, member))
  if not expiry then
    return 0
  end
  redis.call('ZADD', readers, 'XX', string.format('%.0f', math.max(expiry, millis + ttl)), member)
  -- The set lasts as long as its last reader.
  local last = redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2]
  redis.call('PEXPIRE', readers, string.format('%.0f', last - millis))
  return 1
end

local answers = {}
for i = 1, #KEYS do
  local renew = ARGV[3 * i - 2] == 'shared' and renew_shared or renew_exclusive
  answers[i] = renew(i, ARGV[3 * i - 1], tonumber(ARGV[3 * i]))
end
return answers
