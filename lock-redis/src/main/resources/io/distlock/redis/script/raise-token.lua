-- Second phase of fencing: gives a grant on this node the largest token that any node has proposed.
--
-- KEYS[1]  the lock
-- KEYS[2]  the readers
-- KEYS[3]  the fencing counter; a node that has lost it confirms nothing, or the loss would stay unnoticed
-- ARGV[1]  "exclusive" or "shared"
-- ARGV[2]  "owner:token" as this node has proposed it; compared whole, since a later grant to the same owner has read the
--          counter before it was raised
-- ARGV[3]  owner
-- ARGV[4]  the grant's token
-- Reply    1 if the counter is at least the token and the grant stands under it, 0 if the proposal is gone

local mode, proposed, token = ARGV[1], ARGV[2], ARGV[4]
local granted = ARGV[3] .. ':' .. token

local counter = redis.call('GET', KEYS[3])
if not counter then
  return redis.error_reply('NOSCRIPT This node has no fencing counter.')
end

if mode == 'exclusive' then
  local value = redis.call('GET', KEYS[1])
  if value ~= proposed and value ~= granted then
    return 0
  end
  redis.call('SET', KEYS[1], granted, 'KEEPTTL')
else
  local expiry = redis.call('ZSCORE', KEYS[2], proposed)
  if expiry then
    -- Added first: an empty set is gone, with its time to live.
    local latest = math.max(expiry, redis.call('ZSCORE', KEYS[2], granted) or 0)
    redis.call('ZADD', KEYS[2], string.format('%.0f', latest), granted)
    redis.call('ZREM', KEYS[2], proposed)
  elseif not redis.call('ZSCORE', KEYS[2], granted) then
    return 0
  end
end

if tonumber(counter) < tonumber(token) then
  redis.call('SET', KEYS[3], token)
end
return 1
