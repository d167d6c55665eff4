-- The fencing token where one Redis decides alone: the server's time in µs, or the last one plus 1 if that is larger; so it
-- grows even after the counter was lost. Microseconds stay exact in a double until 2255.
--
-- KEYS[4]  the fencing counter of this hash slot

local function next_token(clock)
  local token = clock()
  local last = redis.call('SET', KEYS[4], token, 'GET')
  if last and tonumber(last) >= tonumber(token) then
    token = string.format('%.0f', last + 1)
    redis.call('SET', KEYS[4], token)
  end
  return token
end

