-- Runs a script only if nobody with a later lock has run one before. Its text replaces the line BODY.
--
-- KEYS     the keys of the script; then the fences, each "token provider:key-prefix"
-- ARGV     the arguments of the script; then for each fence its token and 1, or 0 if it is only compared; then, as the last
--          five, what a refusal begins with, how many fences there are, provider:key-prefix of the tokens, for how many ms a
--          fence is kept after its last use, and the sender's clock, in ms, when it last knew that it held the locks
-- Reply    that of the script, or an error marker:why:index:detail, STALE with the token that was seen, OTHER with the
--          fence, LATE with the ms between both clocks

local function body(KEYS, ARGV)
BODY
end

local marker, count, source, kept, asked = unpack(ARGV, #ARGV - 4)
count = tonumber(count)
local keys, args = #KEYS - count, #ARGV - 5 - 2 * count
local time = redis.call('TIME')
local apart = math.abs(time[1] * 1000 + time[2] / 1000 - asked)

local function refused(why, index, detail)
  return redis.error_reply(marker .. ':' .. why .. ':' .. index .. ':' .. detail)
end

-- All are compared before the first is written.
for i = 1, count do
  local fence, token = redis.call('GET', KEYS[keys + i]), ARGV[args + 2 * i - 1]
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
  if ARGV[args + 2 * i] == '1' then
    redis.call('SET', KEYS[keys + i], ARGV[args + 2 * i - 1] .. ' ' .. source, 'PX', kept)
  end
end

local function first(all, size)
  local some = {}
  for i = 1, size do
    some[i] = all[i]
  end
  return some
end

return body(first(KEYS, keys), first(ARGV, args))
