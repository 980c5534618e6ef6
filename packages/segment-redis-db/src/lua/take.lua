-- Takes up to n ids, books those that are missing, and may grant the caller the refill lease.
--
-- KEYS[1]  the sequence's hash
-- ARGV     1 n         ids wanted, 0 or more
--          2 nonce     new and random for each request
--          3 holder    identifies the caller as holder of the refill lease: random, the same for its lifetime
--          4 mayRefill   0: the caller cannot refill now, so it gets no lease
--          5 lockMs    how long a refill lease lasts
--          6 lowWater  request a refill if no more than this is left
--          7 last      the greatest id that the caller has received
--          8 top       the greatest bound that the caller has seen, at least last
--          9 maxDebt   the most ids booked ahead of a segment, for all callers together
--         10 realm     identity of the sequence in the database
--         11 owner     label of the caller, for operators
--         12 reigns    the database reigns that the caller knows, latest first, separated by commas
-- reply    one string, separated by spaces, because parsing separate elements costs the client more than everything else:
--          generation voided dropped m left debt fill low1 count1 low2 count2 q offset owed reigns
--          fill 1: the caller now holds the lease and must reserve a segment
--          reigns: the database reigns that the hash knows; "-" if the caller knows the latest of them, or if there are none
--          owed n: n ids are booked at `offset` after fill number q; -1: the debt is full, retry later; 0: all ids are returned
--          voided: why a new generation began, with `dropped` ids left unused: "reign" (the hash was written in another reign),
--          "back" (its next id is not above the caller's last), "missing" (no hash, although ids were issued before); "-" if none
--          began, or if it is the first
--
-- `rs`, the database reigns, comes with each installed segment, and from callers that know of a later reign. Whoever learns m also
-- learns the reigns: otherwise a process that only took ids would raise a former primary of the database above m.
--
-- Invariants: m never decreases. Within a generation v_l only increases. An id is issued or booked only once.
-- One write command per run, because a script that dies half-way must not leave half a change.
--
-- Run twice (the client resends a request without reply): the second run issues more ids, and books again; what the first run
-- issued or booked is lost, a gap. A lease granted by the first run is granted again, because its holder is the caller.
-- Run again after a loss of state, a restart, a promotion or a slot move: may begin a generation, as the first run did. Each run
-- chooses its own name (see newGeneration), so no booking or segment of a lost generation counts in its successor.
local key = KEYS[1]
local n, nonce, holder, mayRefill = tonumber(ARGV[1]), ARGV[2], ARGV[3], ARGV[4] == '1'
local lockMs, lowWater = tonumber(ARGV[5]), tonumber(ARGV[6])
local last, top, maxDebt, realm, owner = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9]), ARGV[10], ARGV[11]
local reigns = ARGV[12]

local s = redis.call('HMGET', key, 'e', 'r', 'g', 'v_l', 'v_h', 'n_l', 'n_h', 'm', 'rs')
local e, r, g = s[1], s[2], s[3]
local vl, vh, nl, nh = tonumber(s[4] or 1), tonumber(s[5] or 0), tonumber(s[6] or 1), tonumber(s[7] or 0)
local m = tonumber(s[8] or 0)
local rs = s[9] or ''
local latest = string.match(reigns, '^[^,]*')
local known = rs == reigns or (latest ~= '' and string.find(rs, latest, 1, true) == 1)

if r and r ~= realm then
  return redis.error_reply('IDS_REALM ' .. r)
end

-- Fast path: this reign, nothing to refill, nothing to switch.
if e == reign and g and known and vl > last and m >= top and vl + n - 1 <= vh and (nl <= nh or vh - vl - n + 1 > lowWater) then
  if n > 0 then
    redis.call('HSET', key, 'v_l', vl + n)
  end
  return string.format('%s - 0 %.0f %.0f 0 0 %.0f %.0f 0 0 0 0 0 -', g, m, (vh - vl - n + 1) + (nh - nl + 1), vl, n)
end

s = redis.call('HMGET', key, 'd', 'q', 'k', 'kx', 'ko', 'i')
local d, q = tonumber(s[1] or 0), tonumber(s[2] or 0)
local k, kx, ko, installed = s[3] or '', tonumber(s[4] or 0), s[5] or '', s[6] or ''

-- A name that no other run of any script ever chooses: unique to this reign (a replication id has 160 random bits), to this
-- request, and to this run. The number of processed commands and the CPU time of the process increase with each run, whatever the
-- clock does; CONFIG RESETSTAT resets the number, but neither CPU time nor clock. The nonce of the request alone is not enough:
-- the client may send it twice, with a loss of state in between.
local function newGeneration()
  local time = redis.call('TIME')
  local commands = string.match(redis.call('INFO', 'stats'), 'total_commands_processed:(%d+)')
  local cpu = string.match(redis.call('INFO', 'cpu'), 'used_cpu_sys:.-used_cpu_user:[%d.]+') or ''
  return redis.sha1hex(table.concat({ reign, nonce, time[1], time[2], commands, cpu }, ' '))
end

-- Void what another reign left behind, and anything at or below an id that the caller already has.
local nextId = (vl <= vh and vl) or (nl <= nh and nl) or nil
local voided, dropped = '-', 0
if not g then
  voided = top > 0 and 'missing' or '-'
elseif e ~= reign then
  voided = 'reign'
elseif nextId and nextId <= last then
  voided = 'back'
end
if not g or voided ~= '-' then
  dropped = (vh - vl + 1) + (nh - nl + 1)
  g, vl, vh, nl, nh, d, q, k, kx, ko, installed = newGeneration(), 1, 0, 1, 0, 0, 0, '', 0, '', ''
end
-- The caller knows what followed the latest reign that the hash knows.
if rs == '' or string.find(reigns, string.match(rs, '^[^,]+'), 1, true) then
  rs, known = reigns, true
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
if mayRefill and nl > nh and left <= lowWater then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  -- A lease that lasts longer than lockMs was written under another clock: it counts as expired.
  if k == '' or k == holder or kx <= now or kx > now + lockMs then
    k, kx, ko, fill = holder, now + lockMs, owner, 1
  end
end

redis.call('HSET', key, 'e', reign, 'r', realm, 'g', g, 'v_l', vl, 'v_h', vh, 'n_l', nl, 'n_h', nh, 'm', m,
  'd', d, 'q', q, 'k', k, 'kx', kx, 'ko', ko, 'i', installed, 'rs', rs)
return string.format('%s %s %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %.0f %s', g, voided, dropped, m, left, d,
  fill, low1, count1, low2, count2, q, offset, owed, known and '-' or rs)
