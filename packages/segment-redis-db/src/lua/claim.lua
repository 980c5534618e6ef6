-- Collects ids that a take has booked, as far as fills have brought them. May be repeated without loss.
--
-- KEYS[1]  the sequence's hash
-- ARGV     1 generation  the booking's
--          2 q           the booking starts after this fill number ...
--          3 offset      ... this many ids into what follows
--          4 n           ids still owed
--          5 holder  6 mayFill  7 lockMs  8 owner   for the fill lease, as in take.lua
--          9 touch     1: write in any case, so that WAIT, which looks at the caller's writes, confirms what is claimed
-- reply    { "OK", m, debt, fill, reigns, q, offset, n, low, count, low, count ... }: the booking as it is now, then the ids;
--          reigns: those of the database that the hash knows
--          { "VOID" } another reign or generation
--          { "LOST" } the ring has moved on, or the hash does not know of the booking; both: take again
--
-- Run twice: gives the same ids again, to the same caller, who got no reply to the first run. A lease of the first run is
-- granted again. Run again after a loss of state: another generation, so VOID; what the first run gave is lost, a gap.
local key, generation = KEYS[1], ARGV[1]
local q, offset, n = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local holder, mayFill, lockMs, owner = ARGV[5], ARGV[6] == '1', tonumber(ARGV[7]), ARGV[8]
local touch = ARGV[9] == '1'

local s = redis.call('HMGET', key, 'e', 'g', 'm', 'd', 'q', 'k', 'kx', 'rs')
if s[1] ~= epoch or s[2] ~= generation then
  return { 'VOID' }
end
local filled = tonumber(s[5])

local ranges = {}
while n > 0 and q < filled do
  local entry = redis.call('HGET', key, 'b' .. (q + 1) % 16)
  local number, low, high = string.match(entry or '', '^(%d+):(%d+):(%d+)$')
  if tonumber(number) ~= q + 1 then
    return { 'LOST' }
  end
  low, high = tonumber(low), tonumber(high)
  local length = high - low + 1
  if offset < length then
    local count = math.min(n, length - offset)
    ranges[#ranges + 1] = exact(low + offset)
    ranges[#ranges + 1] = count
    n = n - count
    offset = offset + count
  end
  if offset >= length then
    offset = offset - length
    q = q + 1
  end
end

-- Whoever puts an older copy of the hash back takes bookings away. No fill would ever serve them.
if n > 0 and (q > filled or offset + n > tonumber(s[4])) then
  return { 'LOST' }
end

local fill = 0
if n > 0 and mayFill then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local kx = tonumber(s[7])
  if s[6] == '' or s[6] == holder or kx <= now or kx > now + lockMs then
    redis.call('HSET', key, 'k', holder, 'kx', now + lockMs, 'ko', owner)
    fill = 1
  end
end
if touch and fill == 0 then
  redis.call('HSET', key, 'e', epoch)
end
return { 'OK', s[3], tonumber(s[4]), fill, s[8] or '', q, offset, n, unpack(ranges) }
