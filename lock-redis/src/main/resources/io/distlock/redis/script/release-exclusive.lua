-- Releases an exclusive lock and its owner's claim as a waiting writer.
--
-- KEYS[1]  the lock: "owner:token"
-- KEYS[2]  the waiting writer; only for a try to withdraw, since a grant ends the claim; left out while the keys of the slot
--          move to another node of a cluster
-- ARGV[1]  owner
-- ARGV[2]  the channel on which a release is published; empty for none
-- ARGV[3]  for how many ms the lock stays taken nevertheless; 0 frees it now
-- Reply    1 if the lock was the owner's, else 0
-- pcall    releases even if the user may not publish (ACL channels)

local owner, keep = ARGV[1], tonumber(ARGV[3])
local released, passed = 0, false

local value = redis.call('GET', KEYS[1])
if value and string.sub(value, 1, #owner + 1) == owner .. ':' then
  if keep > 0 then
    -- Under another name, so that a late renewal does not extend it. PEXPIRE first: with its memory full, Redis lets a
    -- script add something only after another write.
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
  -- Also when the lock is kept: it will be free earlier.
  redis.pcall('PUBLISH', ARGV[2], released)
end
return released
