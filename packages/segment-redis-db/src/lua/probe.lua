-- Checks that this server can dispense. Run once at start, before any other script. Changes nothing, so it is safe to repeat.
--
-- KEYS[1]  the sequence's hash
-- ARGV     1 database    optional: the index of the database that the connection should have selected; fails if it does not exist
-- reply    { reign, type of the key: "hash" or "none" }
if ARGV[1] then
  redis.call('SELECT', ARGV[1])
end

-- Reigns differ only if a promotion starts a new replication id. Servers that do so keep the old one as a second id. Others,
-- such as Dragonfly, assign an id per process and keep it when promoted, so ids would repeat.
for _, field in ipairs({ 'master_replid2', 'second_repl_offset' }) do
  if not string.find(info, field .. ':', 1, true) then
    return redis.error_reply('IDS_NO_REIGN INFO replication has no ' .. field
      .. ', so this server may keep its replication id through a promotion')
  end
end
-- A take reads it to name a new generation, perhaps much later: so a server without it is rejected now.
if not string.find(redis.call('INFO', 'stats'), 'total_commands_processed:', 1, true) then
  return redis.error_reply('IDS_NO_REIGN INFO stats has no total_commands_processed')
end

local type = redis.call('TYPE', KEYS[1]).ok
if type == 'hash' or type == 'none' then
  -- With a hash that has ids, these are otherwise needed only later: so a missing right shows now.
  redis.call('HGET', KEYS[1], 'e')
  redis.call('TIME')
  -- These cannot be tried out: EVAL is needed when the server has forgotten the scripts. Only Redis 7 and later
  -- tell beforehand, and throw for a command that was renamed.
  for _, command in ipairs({ { 'EVAL', '', '1', KEYS[1] }, { 'HSET', KEYS[1], 'e', '' } }) do
    local told, allowed = pcall(redis.acl_check_cmd, unpack(command))
    if told and not allowed then
      return redis.error_reply('NOPERM the user may not ' .. command[1] .. ' with this key')
    end
  end
end
return { reign, type }
