-- The fencing token where one Redis decides alone: larger than any before, even after the counter was lost. Microseconds
-- stay exact in a double until 2255.
--
-- KEYS[4]  the fencing counter of this hash slot

local function next_token(micros)
  local token = math.max((redis.call('GET', KEYS[4]) or 0) + 1, micros)
  redis.call('SET', KEYS[4], string.format('%.0f', token))
  return token
end

