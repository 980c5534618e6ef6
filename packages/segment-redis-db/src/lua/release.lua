-- Gives a fill lease back after a failed reservation, so that another caller may try at once.
--
-- KEYS[1]  the sequence's hash
-- ARGV     1 generation  2 holder
-- reply    1 given back, 0 it was no longer the caller's
--
-- Run twice, or late: may give back a lease that the same holder was granted since. Then another process refills as well, and
-- of their two reservations the database makes one, because both expect the same max_id.
-- After a loss of state: another generation, so nothing changes.
local s = redis.call('HMGET', KEYS[1], 'g', 'k')
if s[1] == ARGV[1] and s[2] == ARGV[2] then
  redis.call('HSET', KEYS[1], 'k', '', 'kx', 0, 'ko', '')
  return 1
end
return 0
