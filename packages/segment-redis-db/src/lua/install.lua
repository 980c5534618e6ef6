-- Puts a reserved segment into the hash.
--
-- KEYS[1]  the sequence's hash
-- ARGV     1 generation  the one that the take named which asked for this segment
--          2 token       the fill ticket
--          3 low  4 high the segment, inclusive
-- reply    one of
--          OK    installed
--          VOID  another reign or generation: the segment was reserved before it began
--          LOW   not above the high-water mark: a later segment overtook it
--          FULL  two segments are there already
--
-- Invariants: m rises with each segment, and nothing at or below m is ever installed. Bookings are served before
-- anyone else: a fill that finds debt is written to the ring b0..b15 as "q:low:high", where the bookers look it up.
local key, generation, token = KEYS[1], ARGV[1], ARGV[2]
local low, high = tonumber(ARGV[3]), tonumber(ARGV[4])

local s = redis.call('HMGET', key, 'e', 'g', 'v_l', 'v_h', 'n_l', 'n_h', 'm', 'd', 'q', 'k')
if s[1] ~= epoch or s[2] ~= generation then
  return 'VOID'
end
local vl, vh, nl, nh = tonumber(s[3]), tonumber(s[4]), tonumber(s[5]), tonumber(s[6])
local m, d, q = tonumber(s[7]), tonumber(s[8]), tonumber(s[9])

local changes = {}
local function set(field, value)
  changes[#changes + 1] = field
  changes[#changes + 1] = value
end

local verdict = 'OK'
if low <= m then
  verdict = 'LOW'
elseif d > 0 then
  local length = high - low + 1
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
end
if s[10] == token then
  set('k', '')
  set('kx', 0)
  set('ko', '')
end
if #changes > 0 then
  redis.call('HSET', key, unpack(changes))
end
return verdict
