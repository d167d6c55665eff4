-- What one node of several proposes as fencing token: the next number, so that nodes which have seen the same grants
-- propose the same. A counter that has been lost goes on from the server's time, and never below what was the time when
-- the server was last admitted: counters that a restart has rolled back must not repeat a token.
--
-- KEYS[4]  the fencing counter of this hash slot
-- KEYS[5]  the least that a token may be
-- micros   the server's time

local function next_token(micros)
  local counter = redis.call('GET', KEYS[4])
  return math.max(counter and counter + 1 or micros, tonumber(redis.call('GET', KEYS[5]) or 0))
end

