-- Precedes every other script: the fence, and the form of ids in replies.
--
-- A reign is one uninterrupted period of one process as master. Redis assigns a new replication id at each start and at each
-- promotion. So the id read here, inside the script, distinguishes data of this reign from data that returned from an older one
-- (restart from a dump, failover, failback). A replica has the id of its master, so the role is checked too.
--
-- From Redis 7 on, one call of INFO returns both sections. Plain searches, because a pattern would cost as much as the call.
local info
if redis.REDIS_VERSION_NUM then
  info = redis.call('INFO', 'replication', 'cluster')
else
  info = redis.call('INFO', 'replication') .. redis.call('INFO', 'cluster')
end
if not string.find(info, 'role:master', 1, true) then
  -- Clients reconnect after READONLY to find the primary, which is pointless if no server shows its role.
  if not string.find(info, 'role:', 1, true) then
    return redis.error_reply('IDS_NO_REIGN this server does not tell its role to scripts')
  end
  return redis.error_reply('READONLY ids: a replica must not give ids')
end
local _, before = string.find(info, 'master_replid:', 1, true)
local replid = before and string.sub(info, before + 1, before + 40)
if not replid or #replid ~= 40 or string.find(replid, '%X') then
  return redis.error_reply('IDS_NO_REIGN this server does not tell its replication id to scripts')
end

-- In a Cluster, data can also return with a slot that moved away and back, after a failover elsewhere lost some of it. The
-- replication id here is then unchanged, but both that failover and the import of the slot raised the cluster's epoch.
local clusterEpoch = ''
if string.find(info, 'cluster_enabled:1', 1, true) then
  local cluster = redis.pcall('CLUSTER', 'INFO')
  if type(cluster) ~= 'string' then
    return redis.error_reply('IDS_NO_REIGN scripts cannot ask for CLUSTER INFO: ' .. cluster.err)
  end
  local number = string.match(cluster, 'cluster_my_epoch:(%d+)')
  if not number then
    return redis.error_reply('IDS_NO_REIGN CLUSTER INFO does not tell cluster_my_epoch to scripts')
  end
  clusterEpoch = ':' .. number
elseif not string.find(info, 'cluster_enabled:0', 1, true) then
  return redis.error_reply('IDS_NO_REIGN this server does not tell scripts whether it is in a Cluster')
end
-- The key as the server sees it, including any prefix: a hash that was moved to another key by COPY, RENAME or RESTORE in the same
-- reign is void there. Otherwise both keys would dispense the same ids.
local reign = replid .. clusterEpoch .. ':' .. KEYS[1]

-- Ids are returned as strings: clients that read an integer digit by digit may round within 57 of 2^53. tostring and .. would
-- write 1e14 and above as 1e+14.
local function exact(number)
  return string.format('%.0f', number)
end
