-- May this server dispense? Run once at start.
--
-- KEYS[1]  the sequence's hash
-- reply    { epoch, type of the key: "hash" or "none" }
local type = redis.call('TYPE', KEYS[1]).ok
if type == 'hash' or type == 'none' then
  -- Asked for otherwise only when a segment comes late: a right that is missing shows now.
  redis.call('HGET', KEYS[1], 'e')
end
return { epoch, type }
