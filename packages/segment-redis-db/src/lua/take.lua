-- Takes up to n ids, books what is missing, and may hand the caller the fill lease.
--
-- KEYS[1]  the sequence's hash
-- ARGV     1 n         ids wanted, 0 or more
--          2 nonce     fresh and random for each request
--          3 holder    names the caller as holder of the fill lease: random, the same for its whole life
--          4 mayFill   0: the caller cannot refill now, so it gets no lease
--          5 lockMs    how long a fill lease lasts
--          6 lowWater  ask for a fill when no more than this is left
--          7 last      the greatest id the caller ever got
--          8 top       the greatest bound the caller ever heard of, at least last
--          9 maxDebt   the most ids booked ahead of a segment, all callers together
--         10 realm     identity of the sequence in the database
--         11 owner     label of the caller, for operators
--         12 reigns    those of the database that the caller knows, the latest first, separated by commas
-- reply    one string, because parsing separate elements costs the client more than everything else, separated by spaces:
--          generation voided dropped m left debt fill low1 count1 low2 count2 q offset owed reigns
--          fill 1: the caller holds the lease now and must reserve a segment
--          reigns: those of the database that the hash knows; "-" when the caller knows the latest of them, or there are none
--          owed n: n ids are booked at `offset` after fill number q; -1: debt is full, come again; 0: all given
--          voided: why a new generation was begun, with `dropped` ids left unused: "reign" (another one wrote the hash), "back" (it
--          would give what the caller had), "missing" (no hash, yet ids were given before); "-" when none was, or it is the first
--
-- `rs`, the reigns of the database, comes with each segment that is installed, and from callers that know of a later one. Whoever
-- hears of m hears of them: otherwise a process that only took ids would raise a former primary of the database above m.
--
-- Invariants: m never falls. In one generation v_l only rises. An id is given or booked once.
-- One write command per run: a script that dies half-way must not leave half a change.
--
-- Run twice (the client resends what was not answered): the second run gives further ids, and books anew; what the first
-- run gave or booked is lost, a gap. A lease of the first run is granted again, since its holder is the caller.
-- Run again after a loss of state, a restart, a promotion or a slot move: it may begin a generation, as its first run did. Each
-- run names its own (see newGeneration), so no booking and no segment of a lost generation counts in its successor.
local key = KEYS[1]
local n, nonce, holder, mayFill = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4] == '1'
local lockMs, lowWater = tonumber(ARGV[5]), tonumber(ARGV[6])
local last, top, maxDebt, realm, owner = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10], ARGV[11]
local reigns = ARGV[12]

local s = redis.call('HMGET', key, 'e', 'r', 'g', 'v_l', 'v_h', 'n_l', 'n_h', 'm', 'rs')
local e, r, g = s[1], s[2], s[3]
local vl, vh, nl, nh = tonumber(s[4] or 1), tonumber(s[5] or 0), tonumber(s[6] or 1), tonumber(s[7] or 0)
local m = tonumber(s[8] or 0)
local rs = s[9] or ''
local latest = string.match(reigns, '^[^,]*')
local told = rs == reigns or (latest ~= '' and string.find(rs, latest, 1, true) == 1)

if r and r ~= realm then
  return redis.error_reply('IDS_REALM ' .. r)
end

-- Fast path: this reign, nothing to refill, nothing to switch.
if e == epoch and g and told and vl > last and m >= top and vl + n - 1 <= vh and (nl <= nh or vh - vl - n + 1 > lowWater) then
  if n > 0 then
    redis.call('HSET', key, 'v_l', vl + n)
  end
  return string.format('%s - 0 %.0f %.0f 0 0 %.0f %.0f 0 0 0 0 0 -', g, m, (vh - vl - n + 1) + (nh - nl + 1), vl, n)
end

s = redis.call('HMGET', key, 'd', 'q', 'k', 'kx', 'ko', 'i')
local d, q = tonumber(s[1] or 0), tonumber(s[2] or 0)
local k, kx, ko, installed = s[3] or '', tonumber(s[4] or 0), s[5] or '', s[6] or ''

-- A name that no other run of any script ever gives: of this reign (a replication id is 160 random bits), of this request, and in
-- both of this run. The count of processed commands and the CPU time of the process rise with each run, whatever the clock does;
-- CONFIG RESETSTAT sets back the count, but neither CPU time nor clock. The name of a request alone is not enough: the client may
-- send it twice, with a loss of state in between.
local function newGeneration()
  local time = redis.call('TIME')
  local commands = string.match(redis.call('INFO', 'stats'), 'total_commands_processed:(%d+)')
  local cpu = string.match(redis.call('INFO', 'cpu'), 'used_cpu_sys:.-used_cpu_user:[%d.]+') or ''
  return redis.sha1hex(table.concat({ epoch, nonce, time[1], time[2], commands, cpu }, ' '))
end

-- Void what another reign left behind, and what lies at or below an id that the caller already holds.
local nextId = (vl <= vh and vl) or (nl <= nh and nl) or nil
local voided, dropped = '-', 0
if not g then
  voided = top > 0 and 'missing' or '-'
elseif e ~= epoch then
  voided = 'reign'
elseif nextId and nextId <= last then
  voided = 'back'
end
if not g or voided ~= '-' then
  dropped = (vh - vl + 1) + (nh - nl + 1)
  g, vl, vh, nl, nh, d, q, k, kx, ko, installed = newGeneration(), 1, 0, 1, 0, 0, 0, '', 0, '', ''
end
-- The caller knows what has followed the latest reign that the hash knows.
if rs == '' or string.find(reigns, string.match(rs, '^[^,]+'), 1, true) then
  rs, told = reigns, true
end
if top > m then
  m = top
end

local function give(low, high, wanted)
  local count = math.min(wanted, high - low + 1)
  if count <= 0 then
    return 0, 0
  end
  return low, count
end

local low1, count1 = give(vl, vh, n)
vl = vl + count1
local low2, count2 = 0, 0
if vl > vh and nl <= nh then
  vl, vh, nl, nh = nl, nh, 1, 0
  low2, count2 = give(vl, vh, n - count1)
  vl = vl + count2
end
local missing = n - count1 - count2

local offset, owed = 0, 0
if missing > 0 then
  if d + missing <= maxDebt then
    offset, owed = d, missing
    d = d + missing
  else
    owed = -1
  end
end

local left = (vh - vl + 1) + (nh - nl + 1)
local fill = 0
if mayFill and nl > nh and left <= lowWater then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  -- A lease that outlasts lockMs was written under another clock: it counts as expired.
  if k == '' or k == holder or kx <= now or kx > now + lockMs then
    k, kx, ko, fill = holder, now + lockMs, owner, 1
  end
end

redis.call('HSET', key, 'e', epoch, 'r', realm, 'g', g, 'v_l', vl, 'v_h', vh, 'n_l', nl, 'n_h', nh, 'm', m,
  'd', d, 'q', q, 'k', k, 'kx', kx, 'ko', ko, 'i', installed, 'rs', rs)
return string.format('%s %s %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %s', g, voided, dropped, m, left, d,
  fill, low1, count1, low2, count2, q, offset, owed, told and '-' or rs)
