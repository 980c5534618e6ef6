-- Reads the whole hash, for operators, and the record of a key. Changes nothing, so it is safe to repeat.
--
-- KEYS[1]  the sequence's hash, or that of a family
-- KEYS[2]  of a family: the string of one of its keys
-- reply    { reign of this server, now in milliseconds, the last of KEYS as this server sees it, the string or "", how long it is
--          still kept in milliseconds or "-1", field, value, field, value ... }
local time = redis.call('TIME')
local record, left = '', -1
if KEYS[2] then
  record, left = redis.call('MGET', KEYS[2])[1] or '', redis.call('PTTL', KEYS[2])
end
return {
  reign,
  exact(time[1] * 1000 + math.floor(time[2] / 1000)),
  KEYS[#KEYS],
  record,
  exact(left),
  unpack(redis.call('HGETALL', KEYS[1])),
}
