-- The fencing token that one node of several proposes: the next number, or the server's time if it has no counter; never
-- below the base, which was set when the server was last admitted.
--
-- KEYS[4]  the fencing counters by hash slot, and the base
-- ARGV[5]  the slot

local function next_token(clock)
  local known = redis.call('HMGET', KEYS[4], ARGV[5], 'base')
  local token = math.max(known[1] and known[1] + 1 or tonumber(clock()), tonumber(known[2] or 0))
  token = string.format('%.0f', token)
  redis.call('HSET', KEYS[4], ARGV[5], token)
  return token
end

