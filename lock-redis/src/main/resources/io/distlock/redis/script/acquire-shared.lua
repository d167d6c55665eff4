-- Takes a lock together with other readers. Preceded by a file with next_token().
--
-- KEYS     as of acquire-exclusive.lua
-- ARGV[1]  owner
-- ARGV[2]  time to live in ms
-- ARGV[3]  1 if an earlier try by this owner may have been granted, else 0
-- Reply    {1, token} granted; to the same owner again, for no less than it has left
--          {0, ms, who} refused; ms until it is worth another try, -1 if unknown; a number for the owner who has it or
--          waits for it

local owner, ttl, again = ARGV[1], tonumber(ARGV[2]), ARGV[3] == '1'

local time = redis.call('TIME')
local millis = time[1] * 1000 + math.floor(time[2] / 1000)
local expiry = string.format('%.0f', millis + ttl)

local function grant()
  local token, missing = next_token(function() return time[1] .. string.format('%06d', time[2]) end)
  if missing then
    return missing
  end
  redis.call('ZADD', KEYS[2], expiry, owner .. ':' .. token)
  return {1, tonumber(token)}
end

-- The set lasts as long as its last reader.
local function keep_readers()
  local last = redis.call('ZRANGE', KEYS[2], -1, -1, 'WITHSCORES')[2]
  redis.call('PEXPIRE', KEYS[2], string.format('%.0f', last - millis))
end

-- Often none of them exists, and one question is enough.
if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) == 0 then
  local granted = grant()
  if not granted.err then
    redis.call('PEXPIRE', KEYS[2], ARGV[2])
  end
  return granted
end

redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('(%.0f', millis))

if again then
  for _, member in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    if string.sub(member, 1, #owner + 1) == owner .. ':' then
      -- A try that comes late does not shorten what was extended since.
      local latest = math.max(expiry, redis.call('ZSCORE', KEYS[2], member))
      redis.call('ZADD', KEYS[2], string.format('%.0f', latest), member)
      keep_readers()
      return {1, tonumber(string.sub(member, #owner + 2))}
    end
  end
end

-- The writer that holds, or the one that waits.
for _, key in ipairs({KEYS[1], KEYS[3]}) do
  local remaining = redis.call('PTTL', key)
  if remaining ~= -2 then
    local value = redis.call('GET', key)
    local who = redis.sha1hex(string.match(value, '^(.*):') or value)
    return {0, remaining, tonumber(string.sub(who, 1, 12), 16)}
  end
end

local granted = grant()
if not granted.err then
  keep_readers()
end
return granted
