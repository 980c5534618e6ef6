-- Follows reign.lua in each script of sequences by key: the record of the family, and the form of the keys' records.
--
-- KEYS[1]  the family's hash: e and r as in take.lua; rs, the database reigns; f, the generation of the family; p, the names of
--          those before it, latest first
-- KEYS[2]  and all that follow: a string for each key, "next key family generation mark due step since holder expires", and of a
--          family with groups " until!" behind that:
--            next, mark   the ids from `next` to `mark` can be taken; `mark` is the greatest id known to be reserved
--            key          of which this is the record: the name of the string, without that of the family
--            family, generation   16 characters each
--            due          taking an id above it asks for a refill
--            step, since  how long the last segment was, and when it came, in milliseconds; 0 0 if none came yet
--            holder, expires   the refill lease; "-" if nobody has it
--            until        when the day, month or year of these ids is over, by the clock of this server, in milliseconds
-- ARGV     1 realm    identity of the family in the database
--          2 reigns   the database reigns that the caller knows, latest first, separated by commas
--          3 nonce    new and random for each request
--          4 holder   identifies the caller as holder of refill leases: random, the same for its lifetime
--          5 lockMs   how long a lease lasts
--          6 idleMs   how long a key's record is kept after its last use, in milliseconds; 0: without limit
--
-- The fence of a record is its key and the family's generation, which each reign begins anew: so INFO is read once for all keys, and
-- a record that came back from another reign, or was copied from another key, does not count. A key may contain anything, but not
-- the generation, which nobody knows who chooses keys: so a fence is that of one key. Its parts are where a take can check and
-- replace them with the fewest calls, which are what a script spends its time on.
--
-- A record without the family's hash under which it was written counts as missing, with its mark: a mark without the reigns in
-- which it was reserved would let a process raise a former primary of the database. Of a family that lost its reign, but not its
-- hash, marks count.
--
-- Ids of a day that is over are not taken any more; where the next one begins, the database says. A clock that was set back below
-- `since` says nothing about `until`, so these ids count as over as well.
--
-- Two writes per run: the family's hash, when its generation is new, and one MSET of all keys. A script that dies between them
-- leaves a family whose keys are void, which is what each key would have become.
local realm, reigns, nonce, holder = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local lockMs, idleMs = tonumber(ARGV[5]), tonumber(ARGV[6])

local clock
local function now()
  if not clock then
    clock = redis.call('TIME')
  end
  return clock[1] * 1000 + math.floor(clock[2] / 1000)
end

-- A name that no other run of any script ever chooses: see take.lua.
local runName
local function newName()
  if not runName then
    now()
    local commands = string.match(redis.call('INFO', 'stats'), 'total_commands_processed:(%d+)')
    local cpu = string.match(redis.call('INFO', 'cpu'), 'used_cpu_sys:.-used_cpu_user:[%d.]+') or ''
    local parts = { reign, nonce, clock[1], clock[2], commands, cpu }
    runName = string.sub(redis.sha1hex(table.concat(parts, ' ')), 1, 16)
  end
  return runName
end

local match, find, sub, byte, format = string.match, string.find, string.sub, string.byte, string.format

-- Where the name of a key begins in that of its string, behind the family's name and a colon.
local nameAt = #KEYS[1] + 2

local function fenceOf(generation, key)
  return ' ' .. sub(key, nameAt) .. ' ' .. generation .. ' '
end

-- The fields of a record whose fence is so long; the first one is the fence it has, or empty. `rest` holds those from `step` on.
-- Without a record: no ids.
local function parse(record, length)
  local next, at = match(record or '', '^(%d+)()')
  if not at then
    return nil, nil, 1, 0, '0', ''
  end
  local g, mark, due, rest = match(record, '^(%x+) (%d+) (%d+) (.*)$', at + length)
  return g and sub(record, at, at + length - 1) or '', g, tonumber(next), tonumber(mark or 0), due, rest or ''
end

-- format would end a key at a NUL.
local function recordOf(next, fence, fields)
  return exact(next) .. fence .. fields
end

-- The fields behind `due`; `life` is " until!", or empty.
local function parseRest(rest)
  return string.match(rest, '^(%d+) (%d+) (%S+) (%d+)(.*)$')
end

-- The last byte of a record of a family with groups.
local GROUPED = 33

-- Whether the ids in a record must not be taken any more.
local function isOver(record)
  if not record or byte(record, -1) ~= GROUPED then
    return false
  end
  local since, ends = string.match(record, '(%d+) %S+ %d+ (%d+)!$')
  return now() >= tonumber(ends) or now() < tonumber(since)
end

local family = redis.call('HMGET', KEYS[1], 'e', 'r', 'f', 'p', 'rs')
if family[2] and family[2] ~= realm then
  return redis.error_reply('IDS_REALM ' .. family[2])
end
local generation, past, rs = family[3], family[4] or '', family[5] or ''
local renewed = false
if family[1] ~= reign or not generation then
  past = string.match((generation or '') .. ' ' .. past, '^%S* ?%S* ?%S* ?%S*')
  generation, renewed = newName(), true
end
-- The caller knows what followed the latest reign that the family knows.
local latest = string.match(reigns, '^[^,]*')
local known = rs == reigns or (latest ~= '' and string.find(rs, latest, 1, true) == 1)
if not known and (rs == '' or string.find(reigns, string.match(rs, '^[^,]+'), 1, true)) then
  rs, known, renewed = reigns, true, true
end

-- Whether this record was written in an earlier generation of the family.
local function isPast(fence, key)
  for name in string.gmatch(past, '%S+') do
    if fenceOf(name, key) == fence then
      return true
    end
  end
  return false
end

local writes, written = {}, 0
local function write(key, value)
  writes[written + 1], writes[written + 2] = key, value
  written = written + 2
end

local function writeAll()
  if renewed then
    redis.call('HSET', KEYS[1], 'e', reign, 'r', realm, 'f', generation, 'p', past, 'rs', rs)
  end
  if idleMs > 0 then
    for i = 1, written, 2 do
      redis.call('SET', writes[i], writes[i + 1], 'PX', idleMs)
    end
  elseif written > 0 then
    redis.call('MSET', unpack(writes))
  end
end

-- The family's hash is none of them, but without it, a call for no keys would have nothing to read.
local records = redis.call('MGET', unpack(KEYS))
