-- The fencing token that one node of several proposes: the next number, or the server's time if it has no counter; never
-- below the base, which was set when the server was last admitted, nor below what another node has proposed.
--
-- KEYS[4]  the fencing counters by hash slot, and the base
-- ARGV[5]  the slot
-- ARGV[6]  the proposal of a node that was asked before; 0 if there is none

local function next_token(clock)
  local known = redis.call('HMGET', KEYS[4], ARGV[5], 'base')
  local token = math.max(known[1] and known[1] + 1 or tonumber(clock()), tonumber(known[2] or 0), tonumber(ARGV[6]))
  token = string.format('%.0f', token)
  redis.call('HSET', KEYS[4], ARGV[5], token)
  return token
end

