-- Reads the whole hash, for operators. Changes nothing, so it is safe to repeat.
--
-- KEYS[1]  the sequence's hash
-- reply    { reign of this server, now in milliseconds, field, value, field, value ... }
local time = redis.call('TIME')
return { reign, exact(time[1] * 1000 + math.floor(time[2] / 1000)), unpack(redis.call('HGETALL', KEYS[1])) }
