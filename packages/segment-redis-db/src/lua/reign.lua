-- Stands before every other script: the fence, and how ids travel in a reply.
--
-- A reign is one uninterrupted period of one process as master. Redis gives it a fresh replication id at each start and
-- at each promotion, so the id read here, inside the script, tells data of this reign from data that came back from an
-- older one (restart from a dump, failover, failback). A replica shows its master's id: hence the role is checked too.
local info = redis.call('INFO', 'replication')
if not string.find(info, 'role:master', 1, true) then
  return redis.error_reply('READONLY ids: a replica must not give ids')
end
local epoch = string.match(info, 'master_replid:(%x+)')
if not epoch or #epoch ~= 40 then
  return redis.error_reply('IDS_NO_EPOCH this server does not tell its replication id to scripts')
end

-- Ids leave as text: a client that reads an integer digit by digit may round within 57 of 2^53. tostring and .. would write 1e14
-- and above as 1e+14.
local function exact(number)
  return string.format('%.0f', number)
end
