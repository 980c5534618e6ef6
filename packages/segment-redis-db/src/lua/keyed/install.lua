-- Puts reserved segments into the records of several keys, takes ids of them for the caller, and ends its leases.
--
-- KEYS, ARGV 1 to 6  as in family.lua; reigns includes the one in which the segments were reserved
-- ARGV     7 maxHeld  the most ids of a key that may be left afterwards; 0: no limit
--          then for each key:
--          generation  named by the take that asked for this segment
--          asked       the mark when that take granted the lease: below it, the record has gone back since
--          low, high   the segment, inclusive; 0 0: there is none, end the lease
--          room        install only if no more ids than this are left: the number left when the lease was granted
--          n           ids wanted, taken together or not at all; 0 or more
--          until       when the ids of the segment expire, by the clock of this server: the time of the take that granted the lease,
--                      and how long they lasted from then on; 0: never
-- reply    one string, with the answers for the keys separated by semicolons: "verdict low", low being the first of the n ids or "-":
--            OK    installed
--            VOID  the reign or the generation is another one, and the segment was reserved before it began; or the record has
--                  gone back
--            LOW   not above the mark: a later segment overtook it, or this is a second run
--            FULL  another segment was installed in the meantime, and there is no room for this one
--            NONE  there was none to install
--
-- Invariants: the mark increases with each segment, and nothing at or below it is ever installed. Never more is left than `room`
-- and one segment. A segment that does not continue the one before replaces its rest, which is a gap: the sequence of a key is
-- contiguous unless the database skipped ids or somebody else reserved some.
--
-- A segment of a day that has ended meanwhile is installed and serves the n ids, since their caller has asked before it was
-- reserved. Nobody takes another one of it.
--
-- Run twice: the second run finds each segment at or below the mark, so LOW, and takes n ids more; those of the first run are lost,
-- a gap. Run later, or after a loss of state: the generation is another one, so VOID; or its ids are those that nobody had, and
-- above all that was installed before. On a former primary that still answers: as take.lua.
local maxHeld = tonumber(ARGV[7])

local function install(key, record, wanted, asked, low, high, room, n, ends)
  local fence = fenceOf(generation, key)
  local theirs, g, next, mark, due, rest = parse(record, #fence)
  if theirs ~= fence or g ~= wanted or mark < asked then
    return 'VOID -'
  end
  local step, since, lease, expires, life = parseRest(rest)
  local over = isOver(record)

  local left, length = over and 0 or mark - next + 1, high - low + 1
  -- Under one mark, what is left only becomes less. If there is more, the record has gone back, and others have these ids. To serve
  -- the n ids would also hide that from the next take, since `next` would then be above all that its caller remembers.
  if mark == asked and left > room then
    return 'VOID -'
  end
  local verdict = 'OK'
  if low == 0 then
    verdict = 'NONE'
  elseif low <= mark then
    verdict = 'LOW'
  elseif left > room or (maxHeld > 0 and left + length > maxHeld) then
    verdict = 'FULL'
  else
    if low ~= mark + 1 then
      next = low
    end
    mark, step, since, over = high, length, now(), false
    life = ends > 0 and ' ' .. exact(ends) .. '!' or ''
    -- Unless the caller is behind: then the family knows of a later reign.
    if latest ~= '' and not string.find(rs, latest, 1, true) then
      rs, renewed = reigns, true
    end
    -- Segments of a few ids are for keys that are seldom used: the next one is reserved when it is needed.
    due = exact(length < 8 and mark or mark - math.floor(length / 2))
  end
  if lease == holder then
    lease, expires = '-', 0
  end
  local first = '-'
  if n > 0 and mark - next + 1 >= n and not over then
    first = exact(next)
    next = next + n
  end
  write(key, recordOf(next, fence, format('%s %.0f %s %s %s %s %s%s', g, mark, due, step, since, lease, expires, life)))
  return verdict .. ' ' .. first
end

local answers = {}
for i = 2, #KEYS do
  local at = 7 * i - 7
  answers[i - 1] = install(KEYS[i], records[i], ARGV[at + 1], tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3]),
    tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5]), tonumber(ARGV[at + 6]), tonumber(ARGV[at + 7]))
end
writeAll()
return table.concat(answers, ';')
