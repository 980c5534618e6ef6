-- Takes ids of several keys, and grants the caller the refill leases of those that need ids.
--
-- KEYS, ARGV 1 to 6  as in family.lua
-- ARGV     7  three numbers for each key, separated by spaces:
--          n     ids wanted, which are taken together or not at all; 0: none, and the record stays as it is
--          last  the greatest id of this key that the caller remembers
--          top   the greatest mark of this key that the caller remembers, at least last
-- reply    one string: "reigns;reign;missing;back;dropped;at", and after each further semicolon, the answer for a key:
--            reigns   those that the family knows; "-" if the caller knows the latest of them
--            reign, missing, back   how many keys began a generation for each of these reasons: see take.lua, with `dropped` ids
--            at       the clock of this server in milliseconds, if it was read; otherwise "-"
--          For a key: "low", the first of the n ids, or "-". And if the caller now holds the lease and must reserve a segment:
--          "low generation mark left step age", with `age`, how long ago the last segment came, in milliseconds. "-" alone: somebody
--          else refills it. For n = 0, "next" as in the record, or "-" if it does not count.
--
-- Invariants: of a key, the mark never decreases while its record exists. Within a generation, `next` only increases. An id is
-- taken only once.
--
-- Run twice (the client resends a request without reply): the second run takes more ids, and those of the first are lost, a gap. A
-- lease granted by the first run is granted again, because its holder is the caller. Run again after a loss of state, a restart, a
-- promotion or a slot move: may begin generations, as the first run did, under other names. On a former primary that still
-- answers: takes ids which only this server had, unless the caller waits for replicas; they are not repeated, but may be out of
-- order.
local voids = { reign = 0, missing = 0, back = 0 }
local dropped = 0

local function void(reason, left)
  voids[reason] = voids[reason] + 1
  dropped = dropped + math.max(0, left)
end

local function take(key, record, n, last, top)
  local fence = fenceOf(generation, key)

  -- Fast path: this reign, and no refill is due. Only `next` is replaced. To add 0 makes a number at less cost than tonumber.
  if n > 0 and record then
    local low, at = match(record, '^(%d+)()')
    if at and find(record, fence, at, true) == at then
      local mark, due = match(record, '^%x+ (%d+) (%d+)', at + #fence)
      local next = low + 0
      -- Subtracts from the end, because a sum above 2^53 would be rounded.
      if next > last and mark + 0 >= top and n <= due - next + 1 and (byte(record, -1) ~= GROUPED or not isOver(record)) then
        write(key, format('%.0f', next + n) .. sub(record, at))
        return low
      end
    end
  end

  local theirs, g, next, mark, due, rest = parse(record, #fence)
  if n == 0 then
    local counts = theirs == fence and sub(rest, 1, 2) ~= '0 '
    return counts and exact(next) or '-'
  end
  local step, since, lease, expires, life = parseRest(rest)
  local valid = true
  if not theirs then
    valid = false
    if top > 0 then
      void('missing', 0)
    end
  elseif theirs ~= fence then
    valid = false
    void('reign', mark - next + 1)
    if not isPast(theirs, key) then
      mark = 0
    end
  elseif next <= last or mark < top then
    valid = false
    void('back', mark - next + 1)
  end
  if not valid then
    mark = math.max(mark, top)
    g, next, due, step, since, lease, expires, life = newName(), mark + 1, exact(mark), 0, 0, '-', 0, ''
  end

  local low = '-'
  local over = life ~= '' and isOver(record)
  if mark - next + 1 >= n and not over then
    low = exact(next)
    next = next + n
  end
  expires = tonumber(expires)
  -- A lease that lasts longer than lockMs was written under another clock: it counts as expired.
  local granted = lease == '-' or lease == holder or expires <= now() or expires > now() + lockMs
  if granted then
    lease, expires = holder, now() + lockMs
  end
  -- Whoever looks again and again at a key that somebody else refills gives replicas nothing to confirm, and only keeps it from
  -- being idle.
  if granted or low ~= '-' or idleMs > 0 then
    write(key, recordOf(next, fence, format('%s %.0f %s %s %s %s %.0f%s', g, mark, due, step, since, lease, expires, life)))
  end
  if not granted then
    return low
  end
  local left = over and 0 or mark - next + 1
  return format('%s %s %.0f %.0f %s %.0f', low, g, mark, left, step, math.max(0, now() - tonumber(since)))
end

-- For no keys, at the start of a process: see probe.lua.
if #KEYS == 1 then
  local write = idleMs > 0 and { 'SET', KEYS[1] .. ':', '', 'PX', '1' } or { 'MSET', KEYS[1] .. ':', '' }
  local told, allowed = pcall(redis.acl_check_cmd, unpack(write))
  if told and not allowed then
    return redis.error_reply('NOPERM the user may not ' .. write[1] .. ' the records of keys')
  end
end

local answers = {}
local i = 1
for n, last, top in string.gmatch(ARGV[7], '(%d+) (%d+) (%d+)') do
  i = i + 1
  answers[i - 1] = take(KEYS[i], records[i], n + 0, last + 0, top + 0)
end
writeAll()
local at = clock and exact(now()) or '-'
local head = format('%s;%d;%d;%d;%.0f;%s', known and '-' or rs, voids.reign, voids.missing, voids.back, dropped, at)
table.insert(answers, 1, head)
return table.concat(answers, ';')
