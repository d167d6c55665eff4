-- Gives locks that are held on a majority of nodes to a node that has refused or lost them, or has them under the token
-- it proposed. Leaves the fencing counters alone: a majority raised its own before the grant.
--
-- KEYS[2i-1]   of each lease the lock
-- KEYS[2i]     the readers
-- ARGV[4i-3]   "exclusive" or "shared"
-- ARGV[4i-2]   owner
-- ARGV[4i-1]   token
-- ARGV[4i]     for how many ms from now it is to last
--
-- Reply        for each lease 1 if it is there now, 0 if another is
-- pcall        a key of another type spoils its own lease only

local time = redis.call('TIME')
local millis = time[1] * 1000 + math.floor(time[2] / 1000)

local function is_of(owner, value)
  return string.sub(value, 1, #owner + 1) == owner .. ':'
end

local function restore_exclusive(lock, readers, owner, token, ttl)
  local value = redis.pcall('GET', lock)
  if value and (type(value) ~= 'string' or not is_of(owner, value)) then
    return 0
  end
  if redis.pcall('ZCOUNT', readers, millis, '+inf') ~= 0 then
    return 0
  end
  redis.call('SET', lock, owner .. ':' .. token, 'PX', string.format('%.0f', math.max(ttl, redis.call('PTTL', lock))))
  return 1
end

local function restore_shared(lock, readers, owner, token, ttl)
  local members = redis.pcall('ZRANGE', readers, 0, -1)
  if members.err or redis.call('EXISTS', lock) == 1 then
    return 0
  end
  local own, proposed, expiry = owner .. ':' .. token, {}, millis + ttl
  for _, member in ipairs(members) do
    if is_of(owner, member) then
      expiry = math.max(expiry, tonumber(redis.call('ZSCORE', readers, member)))
      if member ~= own then
        table.insert(proposed, member)
      end
    end
  end
  -- Added first: an empty set is gone, with its time to live.
  redis.call('ZADD', readers, string.format('%.0f', expiry), own)
  for _, member in ipairs(proposed) do
    redis.call('ZREM', readers, member)
  end
  -- The set lasts as long as its last reader.
  local last = redis.call('ZRANGE', readers, -1, -1, 'WITHSCORES')[2]
  redis.call('PEXPIRE', readers, string.format('%.0f', last - millis))
  return 1
end

local answers = {}
for i = 1, #KEYS / 2 do
  local restore = ARGV[4 * i - 3] == 'shared' and restore_shared or restore_exclusive
  answers[i] = restore(KEYS[2 * i - 1], KEYS[2 * i], ARGV[4 * i - 2], ARGV[4 * i - 1], tonumber(ARGV[4 * i]))
end
return answers
