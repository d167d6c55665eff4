-- Reads who holds a lock.
--
-- KEYS[1]  the lock: "owner:token", or whatever another client has put there
-- KEYS[2]  the readers
-- Reply    nothing if it is free
--          {"exclusive", value, ms left or -1}
--          {"shared", member, ms left, member, ms left, ...}

local value = redis.call('GET', KEYS[1])
if value then
  return {'exclusive', value, redis.call('PTTL', KEYS[1])}
end

local time = redis.call('TIME')
local millis = time[1] * 1000 + math.floor(time[2] / 1000)
local readers = redis.call('ZRANGEBYSCORE', KEYS[2], string.format('%.0f', millis), '+inf', 'WITHSCORES')
if #readers == 0 then
  return {}
end
local reply = {'shared'}
for i = 1, #readers, 2 do
  reply[i + 1] = readers[i]
  reply[i + 2] = readers[i + 1] - millis
end
return reply
