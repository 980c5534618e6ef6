-- Releases a refill lease after a failed reservation, so that another caller can try at once.
--
-- KEYS[1]  the sequence's hash
-- ARGV     1 generation  2 holder
-- reply    1 released, 0 the caller no longer held it
--
-- Run twice, or late: may release a lease that the same holder was granted since. Then another process refills as well. Of the two
-- reservations the database makes only one, because both expect the same max_id.
-- Run after a loss of state: the generation is another one, so nothing changes.
local s = redis.call('HMGET', KEYS[1], 'g', 'k')
if s[1] == ARGV[1] and s[2] == ARGV[2] then
  redis.call('HSET', KEYS[1], 'k', '', 'kx', 0, 'ko', '')
  return 1
end
return 0
