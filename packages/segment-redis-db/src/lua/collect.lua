-- Collects ids that a take has booked, as far as fills have arrived for them. Safe to repeat: it loses nothing.
--
-- KEYS[1]  the sequence's hash
-- ARGV     1 generation  of the booking
--          2 q           the number of the fill after which the booking starts ...
--          3 offset      ... this many ids further on
--          4 n           ids still owed
--          5 holder  6 mayRefill  7 lockMs  8 owner   for the refill lease, as in take.lua
--          9 touch       1: always write, so that WAIT, which covers the caller's own writes, confirms what is collected
-- reply    { "OK", m, debt, fill, reigns, q, offset, n, low, count, low, count ... }: the booking as it is now, then the ids;
--          reigns: the database reigns that the hash knows
--          { "VOID" } the reign or the generation is another one
--          { "LOST" } the ring has moved on, or the hash does not contain the booking; in both cases, take again
--
-- Run twice: returns the same ids again, to the same caller, who did not get the first reply. A lease granted by the first run is
-- granted again. Run after a loss of state: the generation is another one, so VOID; the ids of the first run are lost, a gap.
local key, generation = KEYS[1], ARGV[1]
local q, offset, n = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local holder, mayRefill, lockMs, owner = ARGV[5], ARGV[6] == '1', tonumber(ARGV[7]), ARGV[8]
local touch = ARGV[9] == '1'

local s = redis.call('HMGET', key, 'e', 'g', 'm', 'd', 'q', 'k', 'kx', 'rs')
if s[1] ~= reign or s[2] ~= generation then
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

-- Restoring an older copy of the hash removes bookings. No fill would ever serve them.
if n > 0 and (q > filled or offset + n > tonumber(s[4])) then
  return { 'LOST' }
end

local fill = 0
if n > 0 and mayRefill then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  local kx = tonumber(s[7])
  if s[6] == '' or s[6] == holder or kx <= now or kx > now + lockMs then
    redis.call('HSET', key, 'k', holder, 'kx', now + lockMs, 'ko', owner)
    fill = 1
  end
end
if touch and fill == 0 then
  redis.call('HSET', key, 'e', reign)
end
return { 'OK', s[3], tonumber(s[4]), fill, s[8] or '', q, offset, n, unpack(ranges) }
