-- Takes a lock for one owner alone. Preceded by a file with next_token().
--
-- KEYS[1]  the lock: "owner:token" while it is taken exclusively
-- KEYS[2]  the readers: a sorted set of "owner:token" by expiry, in the server's milliseconds
-- KEYS[3]  the waiting writer: an owner that readers must let pass
-- KEYS[4]  where next_token() counts
-- ARGV[1]  owner
-- ARGV[2]  time to live in ms
-- ARGV[3]  for how many ms readers let the caller pass if it is refused, unless it asks again; 0 if it does not wait
-- ARGV[4]  under what name it waits: the same for all of its tries
-- Reply    {1, token} granted; to the same owner again, for no less than it has left
--          {0, ms, who} refused; ms until the lock expires, -1 for never; a number for the owner who has it, 0 for
--          readers

-- Beyond the last reader's expiry: a waiting writer's claim lasts until it has come back.
local TIME_TO_COME_BACK = 1000

local owner, ttl = ARGV[1], ARGV[2]

-- The server's time in µs.
local function clock()
  local time = redis.call('TIME')
  return time[1] .. string.format('%06d', time[2])
end

-- The reply if the lock is not free.
local function reply_if_taken()
  local value = redis.call('GET', KEYS[1])
  if value then
    if string.sub(value, 1, #owner + 1) == owner .. ':' then
      -- A try that comes late does not shorten what was extended since.
      if redis.call('PTTL', KEYS[1]) < tonumber(ttl) then
        redis.call('PEXPIRE', KEYS[1], ttl)
      end
      return {1, tonumber(string.sub(value, #owner + 2))}
    end
    local who = redis.sha1hex(string.match(value, '^(.*):') or value)
    return {0, redis.call('PTTL', KEYS[1]), tonumber(string.sub(who, 1, 12), 16)}
  end

  local wait, waiter = tonumber(ARGV[3]), ARGV[4]
  local millis = math.floor(clock() / 1000)
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('(%.0f', millis))
  local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')[2]
  local claimant = redis.call('GET', KEYS[3])
  if last then
    local free_in = last - millis
    if wait > 0 then
      local claim = math.min(wait, free_in + TIME_TO_COME_BACK)
      -- Of several writers the one with the longest claim represents all of them.
      if not claimant or claimant == waiter or redis.call('PTTL', KEYS[3]) < claim then
        redis.call('SET', KEYS[3], waiter, 'PX', string.format('%.0f', claim))
      end
    end
    return {0, free_in, 0}
  end
  if claimant == waiter then
    redis.call('DEL', KEYS[3])
  end
end

-- Usually none of them exists, and one question is enough.
local answer = redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) > 0 and reply_if_taken()
if answer then
  return answer
end
local token, missing = next_token(clock)
if missing then
  return missing
end
redis.call('SET', KEYS[1], owner .. ':' .. token, 'PX', ttl)
return {1, tonumber(token)}
