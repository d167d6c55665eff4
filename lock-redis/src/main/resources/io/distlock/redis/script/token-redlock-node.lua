-- The fencing token that one node of several proposes: the next number, never below what another node has proposed. Without
-- its counter the node does not vote: it has never been admitted, or has lost what it knew.
--
-- KEYS[4]  the fencing counter
-- ARGV[5]  the proposal of a node that was asked before; 0 if there is none

local function next_token()
  local token = redis.call('INCR', KEYS[4])
  if token == 1 then
    redis.call('DEL', KEYS[4])
    -- The answer for a script that is missing, so that the client asks whether the node may be admitted.
    return nil, redis.error_reply('NOSCRIPT This node has no fencing counter.')
  end
  if token < tonumber(ARGV[5]) then
    redis.call('SET', KEYS[4], ARGV[5])
    return ARGV[5]
  end
  return string.format('%.0f', token)
end

