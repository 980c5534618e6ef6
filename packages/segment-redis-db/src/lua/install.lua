-- Puts a reserved segment into the hash.
--
-- KEYS[1]  the sequence's hash
-- ARGV     1 generation  named by the take that requested this segment
--          2 holder      of the refill lease
--          3 low  4 high the segment, inclusive
--          5 room        install only if no more ids than this are left: the number left when the lease was granted
--          6 maxHeld     the most ids that may be left afterwards; 0: no limit
--          7 reigns      the database reigns that the holder knows, including the one in which it reserved, latest first
-- reply    one of
--          OK    installed, now or by an earlier run
--          VOID  the reign or the generation is another one: the segment was reserved before it began
--          LOW   not above the high-water mark: a later segment overtook it
--          FULL  another segment was installed in the meantime, and there is no room for this one
--
-- Invariants: m increases with each segment, and nothing at or below m is ever installed. Never more is left than `room` and one
-- segment, however many processes refill and however late. Bookings are served first: a fill that finds debt is written to the
-- ring b0..b15 as "q:low:high", where collect.lua looks it up.
--
-- Run twice: OK both times, installed once. `i` lists the lower ends of the last segments, which distinguishes a second run from a
-- segment that was overtaken. After more than eight other installs the reply is LOW, and nothing changes either.
-- Run after a loss of state: the generation is another one, so VOID. This relies on the name of a generation never being reused.
local key, generation, holder = KEYS[1], ARGV[1], ARGV[2]
local low, high, room, maxHeld = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local reigns = ARGV[7]

local s = redis.call('HMGET', key, 'e', 'g', 'v_l', 'v_h', 'n_l', 'n_h', 'm', 'd', 'q', 'k', 'i')
if s[1] ~= reign or s[2] ~= generation then
  return 'VOID'
end
local vl, vh, nl, nh = tonumber(s[3]), tonumber(s[4]), tonumber(s[5]), tonumber(s[6])
local m, d, q, installed = tonumber(s[7]), tonumber(s[8]), tonumber(s[9]), s[11] or ''
if string.find(' ' .. installed .. ' ', ' ' .. ARGV[3] .. ' ', 1, true) then
  return 'OK'
end

local changes = {}
local function set(field, value)
  changes[#changes + 1] = field
  changes[#changes + 1] = value
end

local length = high - low + 1
local left = (vh - vl + 1) + (nh - nl + 1)
local verdict = 'OK'
if low <= m then
  verdict = 'LOW'
elseif left > room or (maxHeld > 0 and left + length - d > maxHeld) then
  verdict = 'FULL'
elseif d > 0 then
  local served = math.min(d, length)
  q = q + 1
  set('q', q)
  set('b' .. q % 16, exact(q) .. ':' .. ARGV[3] .. ':' .. ARGV[4])
  d = d - served
  set('d', d)
  set('v_l', low + served)
  set('v_h', high)
elseif vl > vh and nl > nh then
  set('v_l', low)
  set('v_h', high)
elseif nl > nh then
  set('n_l', low)
  set('n_h', high)
elseif low == nh + 1 then
  set('n_h', high)
else
  verdict = 'FULL'
end

if verdict == 'OK' then
  set('m', high)
  set('rs', reigns)
  -- Newest first; a lower end has at most 16 digits.
  set('i', string.match(ARGV[3] .. ' ' .. installed, '^%d+ ?%d* ?%d* ?%d* ?%d* ?%d* ?%d* ?%d*'))
end
if s[10] == holder then
  set('k', '')
  set('kx', 0)
  set('ko', '')
end
if #changes > 0 then
  redis.call('HSET', key, unpack(changes))
end
return verdict
