-- Releases an exclusive lock, and whatever else its owner has put there.
--
-- KEYS[1]  the lock: "owner:token"
-- KEYS[2]  the waiting writer; left out while the keys of the slot move to another node of a cluster
-- ARGV[1]  owner
-- ARGV[2]  the channel on which a release is published; empty for none
-- ARGV[3]  for how many ms the lock stays taken nevertheless; 0 frees it now
--
-- This user may lack the right to publish (ACL channels): the lock is released nevertheless, and waiters learn of it when
-- they subscribe.
--
-- Reply    1 if the lock was the owner's, else 0

local owner, keep = ARGV[1], tonumber(ARGV[3])
local released, passed = 0, false

local value = redis.call('GET', KEYS[1])
if value and string.sub(value, 1, #owner + 1) == owner .. ':' then
  if keep > 0 then
    -- Under another name, so that a renewal that comes late does not extend it. When its memory is full, Redis lets a
    -- script set something only after it has written something else.
    redis.call('PEXPIRE', KEYS[1], ARGV[3])
    redis.call('SET', KEYS[1], 'kept' .. string.sub(value, #owner + 1), 'KEEPTTL')
  else
    redis.call('DEL', KEYS[1])
  end
  released = 1
end

if KEYS[2] and redis.call('GET', KEYS[2]) == owner then
  redis.call('DEL', KEYS[2])
  passed = true
end

if ARGV[2] ~= '' and (released == 1 or passed) then
  -- Also when the lock is kept: waiters have to learn that it will be free earlier.
  redis.pcall('PUBLISH', ARGV[2], released)
end
return released
