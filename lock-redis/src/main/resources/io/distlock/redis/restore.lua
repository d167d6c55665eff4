-- Gives locks that are held on a majority of nodes back to a node that has lost them, or that still has them under the
-- token that it proposed itself. Takes nothing from anybody.
--
-- KEYS[3i-2]   of each lease the lock
-- KEYS[3i-1]   the readers
-- KEYS[3i]     the fencing counter
-- ARGV[4i-3]   "exclusive" or "shared"
-- ARGV[4i-2]   owner
-- ARGV[4i-1]   token
-- ARGV[4i]     for how many ms from now it is to last
--
-- Reply        for each lease 1 if it is there now, 0 if another is
--
-- A key that holds something else altogether is an answer for its own lease, hence pcall.

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local millis = math.floor(micros / 1000)

local function is_of(owner, value)
  return string.sub(value, 1, #owner + 1) == owner .. ':'
end

local function restore_exclusive(lock, readers, owner, token, ttl)
  local value = redis.pcall('GET', lock)
  if value and (type(value) ~= 'string' or not is_of(owner, value)) then
    return false
  end
  if redis.pcall('ZCOUNT', readers, millis, '+inf') ~= 0 then
    return false
  end
  redis.call('SET', lock, owner .. ':' .. token, 'PX', string.format('%.0f', math.max(ttl, redis.call('PTTL', lock))))
  return true
end

local function restore_shared(lock, readers, owner, token, ttl)
  local members = redis.pcall('ZRANGE', readers, 0, -1)
  if members.err or redis.call('EXISTS', lock) == 1 then
    return false
  end
  local expiry = millis + ttl
  for _, member in ipairs(members) do
    if is_of(owner, member) then
      expiry = math.max(expiry, tonumber(redis.call('ZSCORE', readers, member)))
      redis.call('ZREM', readers, member)
    end
  end
  redis.call('ZADD', readers, string.format('%.0f', expiry), owner .. ':' .. token)
  if redis.call('PTTL', readers) < expiry - millis then
    redis.call('PEXPIRE', readers, string.format('%.0f', expiry - millis))
  end
  return true
end

local answers = {}
for i = 1, #KEYS / 3 do
  local lock, readers, fence = KEYS[3 * i - 2], KEYS[3 * i - 1], KEYS[3 * i]
  local owner, token, ttl = ARGV[4 * i - 2], ARGV[4 * i - 1], tonumber(ARGV[4 * i])
  local restore = ARGV[4 * i - 3] == 'shared' and restore_shared or restore_exclusive
  if restore(lock, readers, owner, token, ttl) then
    -- A counter that is missing stays so: it goes on from the server's time.
    local counter = redis.call('GET', fence)
    if counter and tonumber(counter) < tonumber(token) then
      redis.call('SET', fence, token)
    end
    answers[i] = 1
  else
    answers[i] = 0
  end
end
return answers
