-- Stands before every other script: the fence, and how ids travel in a reply.
--
-- A reign is one uninterrupted period of one process as master. Redis gives it a fresh replication id at each start and
-- at each promotion, so the id read here, inside the script, tells data of this reign from data that came back from an
-- older one (restart from a dump, failover, failback). A replica shows its master's id: hence the role is checked too.
--
-- Two sections of INFO in one call from Redis 7 on. Plain searches: a pattern would cost as much as the call.
local info
if redis.REDIS_VERSION_NUM then
  info = redis.call('INFO', 'replication', 'cluster')
else
  info = redis.call('INFO', 'replication') .. redis.call('INFO', 'cluster')
end
if not string.find(info, 'role:master', 1, true) then
  -- Clients connect again after READONLY, in search of the primary, which is in vain where no server tells its part.
  if not string.find(info, 'role:', 1, true) then
    return redis.error_reply('IDS_NO_EPOCH this server does not tell its role to scripts')
  end
  return redis.error_reply('READONLY ids: a replica must not give ids')
end
local _, before = string.find(info, 'master_replid:', 1, true)
local replid = before and string.sub(info, before + 1, before + 40)
if not replid or #replid ~= 40 or string.find(replid, '%X') then
  return redis.error_reply('IDS_NO_EPOCH this server does not tell its replication id to scripts')
end

-- In a Cluster data may also come back by a slot that moves away and returns, with a failover elsewhere in between that lost
-- some of it: the reign here is the same. But that failover raised the cluster's epoch, and so does the import of the slot.
local clusterEpoch = ''
if string.find(info, 'cluster_enabled:1', 1, true) then
  local cluster = redis.pcall('CLUSTER', 'INFO')
  if type(cluster) ~= 'string' then
    return redis.error_reply('IDS_NO_EPOCH scripts cannot ask for CLUSTER INFO: ' .. cluster.err)
  end
  local number = string.match(cluster, 'cluster_my_epoch:(%d+)')
  if not number then
    return redis.error_reply('IDS_NO_EPOCH CLUSTER INFO does not tell cluster_my_epoch to scripts')
  end
  clusterEpoch = ':' .. number
elseif not string.find(info, 'cluster_enabled:0', 1, true) then
  return redis.error_reply('IDS_NO_EPOCH this server does not tell scripts whether it is in a Cluster')
end
-- The key as the server has it, with every prefix: a hash that COPY, RENAME or RESTORE brought to another key, in the same reign,
-- is void there, or both keys would dispense the same ids.
local epoch = replid .. clusterEpoch .. ':' .. KEYS[1]

-- Ids leave as text: a client that reads an integer digit by digit may round within 57 of 2^53. tostring and .. would write 1e14
-- and above as 1e+14.
local function exact(number)
  return string.format('%.0f', number)
end
