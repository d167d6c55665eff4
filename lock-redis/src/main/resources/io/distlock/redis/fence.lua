-- Runs a script only if nobody with a later lock has run one before. Its text replaces the line BODY.
--
-- KEYS     the fences, each "token provider:key-prefix"; then the keys of the script
-- ARGV[1]  how many fences
-- ARGV[2]  provider:key-prefix of the tokens
-- ARGV[3]  for how many ms a fence is kept after its last use
-- ARGV[4]  the sender's clock, in ms, when it last knew that it held the locks
-- ARGV     for each fence its token and 1, or 0 if it is only compared; then the arguments of the script
-- Reply    that of the script, or an error LOCKFENCE:why:index:detail, STALE with the token that was seen,
--          OTHER with the fence, LATE with the ms between both clocks

local function body(KEYS, ARGV)
BODY
end

local count, source, kept = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local time = redis.call('TIME')
local apart = math.abs(time[1] * 1000 + time[2] / 1000 - ARGV[4])

local function refused(why, index, detail)
  return redis.error_reply('LOCKFENCE:' .. why .. ':' .. index .. ':' .. detail)
end

-- All are compared before the first is written.
for i = 1, count do
  local fence, token = redis.call('GET', KEYS[i]), ARGV[3 + 2 * i]
  if fence then
    local seen, of = string.match(fence, '^(%d+) (.*)$')
    if of ~= source then
      return refused('OTHER', i, fence)
    end
    -- As text: the largest tokens are beyond the integers of Lua.
    if #seen > #token or (#seen == #token and seen > token) then
      return refused('STALE', i, seen)
    end
  elseif apart > kept / 2 then
    -- The fence may have expired while this was on its way.
    return refused('LATE', i, string.format('%.0f', apart))
  end
end

for i = 1, count do
  if ARGV[4 + 2 * i] == '1' then
    redis.call('SET', KEYS[i], ARGV[3 + 2 * i] .. ' ' .. source, 'PX', ARGV[3])
  end
end

local function after(all, first)
  local rest = {}
  for i = first, #all do
    rest[#rest + 1] = all[i]
  end
  return rest
end

return body(after(KEYS, count + 1), after(ARGV, 5 + 2 * count))
