-- May this server dispense? Run once at start.
--
-- KEYS[1]  the sequence's hash
-- reply    { epoch, type of the key: "hash" or "none" }
return { epoch, redis.call('TYPE', KEYS[1]).ok }
