-- Takes a lock for one owner alone.
--
-- KEYS[1]  the lock: "owner:token" while it is taken exclusively
-- KEYS[2]  the readers: a sorted set of "owner:token" by expiry, in the server's milliseconds
-- KEYS[3]  the waiting writer: an owner that readers have to let pass
-- KEYS[4]  the fencing counter of this hash slot
-- ARGV[1]  owner
-- ARGV[2]  time to live in ms
-- ARGV[3]  for how many ms the caller goes on waiting if it is refused; 0 if it does not
--
-- Reply    {1, token} granted; asked again by the same owner, the same grant with its time to live renewed
--          {0, ms} refused; after so many ms the lock is free if nobody extends it, -1 if it never is

-- A writer that waits for readers comes back when the last of them may have gone; its claim lasts until then.
local TIME_TO_COME_BACK = 1000

local owner, ttl, wait = ARGV[1], ARGV[2], tonumber(ARGV[3])

local value = redis.call('GET', KEYS[1])
if value then
  if string.sub(value, 1, #owner + 1) == owner .. ':' then
    redis.call('PEXPIRE', KEYS[1], ttl)
    return {1, tonumber(string.sub(value, #owner + 2))}
  end
  return {0, redis.call('PTTL', KEYS[1])}
end

local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]

if redis.call('EXISTS', KEYS[2], KEYS[3]) > 0 then
  local millis = math.floor(micros / 1000)
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('(%.0f', millis))
  local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')[2]
  local claimant = redis.call('GET', KEYS[3])
  if last then
    local free_in = last - millis
    if wait > 0 then
      local claim = math.min(wait, free_in + TIME_TO_COME_BACK)
      -- Of several writers the one with the longest claim stands for all of them.
      if not claimant or claimant == owner or redis.call('PTTL', KEYS[3]) < claim then
        redis.call('SET', KEYS[3], owner, 'PX', string.format('%.0f', claim))
      end
    end
    return {0, free_in}
  end
  if claimant == owner then
    redis.call('DEL', KEYS[3])
  end
end

-- Larger than any before, also when the counter has been lost. Microseconds stay exact in a double until 2255.
local token = math.max((redis.call('GET', KEYS[4]) or 0) + 1, micros)
local token_text = string.format('%.0f', token)
redis.call('SET', KEYS[4], token_text)
redis.call('SET', KEYS[1], owner .. ':' .. token_text, 'NX', 'PX', ttl)
return {1, token}
