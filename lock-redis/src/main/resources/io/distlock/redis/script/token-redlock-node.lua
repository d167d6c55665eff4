-- The fencing token that one node of several proposes: the next number. Without its counter the node does not vote: it has
-- never been admitted, or has lost what it knew.
--
-- KEYS[4]  the fencing counter

local function next_token()
  local token = redis.call('INCR', KEYS[4])
  if token == 1 then
    redis.call('DEL', KEYS[4])
    -- The answer for a script that is missing, so that the client asks whether the node may be admitted.
    return nil, redis.error_reply('NOSCRIPT This node has no fencing counter.')
  end
  return string.format('%.0f', token)
end

