-- What one node of several proposes as fencing token: the next number, so that nodes which have seen the same grants
-- propose the same. A counter that is missing begins with the server's time. None is below the base that was set when the
-- server was last admitted: it may have lost counters, or have them as they were before.
--
-- KEYS[4]  the fencing counters by hash slot, and the base
-- ARGV[5]  the slot
-- micros   the server's time

local function next_token(micros)
  local known = redis.call('HMGET', KEYS[4], ARGV[5], 'base')
  local token = math.max(known[1] and known[1] + 1 or micros, tonumber(known[2] or 0))
  redis.call('HSET', KEYS[4], ARGV[5], string.format('%.0f', token))
  return token
end

