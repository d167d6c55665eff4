-- Runs one command, as the body of fence.lua.
--
-- KEYS[1]  the key of the command
-- ARGV[1]  its name; then its other arguments
-- Reply    1

redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2))
return 1
