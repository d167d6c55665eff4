-- Gives a node its fencing counter before it is admitted: no less than its own, its time in µs, and those of other nodes.
--
-- KEYS[1]  the fencing counter
-- ARGV[1]  the largest counter of other nodes
-- Reply    1

local time = redis.call('TIME')
local own = tonumber(redis.call('GET', KEYS[1]) or 0)
local counter = math.max(own, time[1] * 1000000 + time[2], tonumber(ARGV[1]))
redis.call('SET', KEYS[1], string.format('%.0f', counter))
return 1
