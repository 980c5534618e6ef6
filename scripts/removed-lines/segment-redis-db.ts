import type { RemovedLine } from './removed-line.js';

const SRC = 'packages/segment-redis-db/src';
const SEGMENT = 'packages/segment/src';
const TEST = 'packages/segment-redis-db/test/integration';

/** Lines without which a dispenser over Redis breaks what its fault tests are about. */
export const SEGMENT_REDIS_DB: readonly RemovedLine[] = [
  {
    file: `${SRC}/lua/reign.lua`,
    from: 'local epoch = replid .. clusterEpoch',
    to: "local epoch = string.rep('a', 40)",
    tests: {
      [`${TEST}/stale-redis.test.ts`]: [
        'gives no id twice and none out of order after ${name}',
        'gives no id twice from the two primaries',
      ],
      [`${TEST}/cluster.test.ts`]: [
        'begins a new generation on each node to which its slot moves',
        'gives no id twice when a failover elsewhere lost what its slot brings home',
        'gives no id twice and none out of order after a takeover by a replica that lagged behind',
      ],
      [`${TEST}/events.test.ts`]: ['tell that another reign wrote the hash, and what it left'],
      [`${TEST}/redis-faults-under-load.test.ts`]: [
        'go on, in order, when Redis is killed and comes back with an old dump, again and again',
      ],
      [`${TEST}/inspect.test.ts`]: ['is void after a restart from old data'],
      [`${TEST}/sentinel.test.ts`]: [
        'give no id twice when a failover is ordered and another joins while both primaries serve',
      ],
      [`${TEST}/server-kinds.test.ts`]: [
        'serves where INFO takes one section at a time, behind the same fence',
      ],
    },
  },
  {
    file: `${SRC}/lua/reign.lua`,
    from: " .. ':' .. KEYS[1]",
    to: '',
    tests: { [`${TEST}/copied-hash.test.ts`]: ['issues nothing that the first hash issues'] },
  },
  {
    file: `${SRC}/lua/reign.lua`,
    from: "  clusterEpoch = ':' .. number",
    to: '',
    tests: {
      [`${TEST}/cluster.test.ts`]: [
        'gives no id twice when a failover elsewhere lost what its slot brings home',
      ],
    },
  },
  {
    file: `${SRC}/lua/reign.lua`,
    from: "if not string.find(info, 'role:master', 1, true) then",
    to: 'if false then',
    tests: { [`${TEST}/stale-redis.test.ts`]: ['gives no ids, even when it is writable'] },
  },
  {
    file: `${SRC}/lua/take.lua`,
    from: 'elseif nextId and nextId <= last then',
    to: 'elseif false then',
    tests: {
      [`${TEST}/events.test.ts`]: ['tell that the hash would give what was given before'],
      [`${TEST}/stale-redis.test.ts`]: [
        'is noticed by a process that holds a greater id',
        'voids the bookings it knows nothing of: the calls take again',
      ],
    },
  },
  {
    file: `${SRC}/lua/take.lua`,
    from: "voided = top > 0 and 'missing' or '-'",
    to: "voided = '-'",
    tests: {
      [`${TEST}/counters.test.ts`]: ['count the losses of the state in Redis'],
      [`${TEST}/events.test.ts`]: ['tell that the hash was missing'],
      [`${TEST}/late-refill.test.ts`]: ['is a gap, for old processes and new ones'],
      [`${TEST}/redis-faults-under-load.test.ts`]: [
        'lose nothing but numbers when the hash is deleted under their hands',
      ],
    },
  },
  {
    file: `${SRC}/lua/take.lua`,
    from: 'if top > m then',
    to: 'if false then',
    tests: {
      [`${TEST}/guards.test.ts`]: [
        'tells a newcomer what others were given, when table and hash are both lost',
      ],
    },
  },
  {
    file: `${SRC}/lua/take.lua`,
    from: "if k == '' or k == holder or kx <= now",
    to: "if k == '' or kx <= now",
    tests: {
      [`${TEST}/guards.test.ts`]: [
        'is asked of the same process again, not of another when the lease has lapsed',
      ],
    },
  },
  {
    file: `${SRC}/lua/take.lua`,
    from: "redis.sha1hex(table.concat({ epoch, nonce, time[1], time[2], commands, cpu }, ' '))",
    to: 'redis.sha1hex(nonce)',
    tests: {
      [`${TEST}/resent.test.ts`]: [
        'books no place twice',
        { name: 'installs no segment twice', on: 'after the hash is flushed' },
        { name: 'installs no segment twice', on: 'comes back empty' },
      ],
    },
  },
  {
    file: `${SRC}/lua/install.lua`,
    from: 'if low <= m then',
    to: 'if false then',
    tests: { [`${TEST}/late-refill.test.ts`]: ['cannot install a segment that a higher one has overtaken'] },
  },
  {
    file: `${SRC}/lua/install.lua`,
    from: 'or s[2] ~= generation then',
    to: 'then',
    tests: {
      [`${TEST}/late-refill.test.ts`]: ['cannot install a segment that is older than the state it finds'],
    },
  },
  {
    file: `${SRC}/lua/install.lua`,
    from: "if string.find(' ' .. installed .. ' ', ' ' .. ARGV[3] .. ' ', 1, true) then",
    to: 'if false then',
    tests: { [`${TEST}/guards.test.ts`]: ['is reported once, as a refill, although its install ran twice'] },
  },
  {
    file: `${SRC}/lua/install.lua`,
    from: 'elseif left > room or (maxHeld > 0 and left + length - d > maxHeld) then',
    to: 'elseif false then',
    tests: {
      [`${TEST}/ids-lost.test.ts`]: [
        'holds no more than one and a half segments even then, with no bound given',
      ],
    },
  },
  {
    file: `${SRC}/lua/claim.lua`,
    from: 'if n > 0 and (q > filled or offset + n > tonumber(s[4])) then',
    to: 'if false then',
    tests: {
      [`${TEST}/stale-redis.test.ts`]: ['voids the bookings it knows nothing of: the calls take again'],
    },
  },
  {
    file: `${SRC}/lua/claim.lua`,
    from: "if s[6] == '' or s[6] == holder or kx <= now",
    to: "if s[6] == '' or kx <= now",
    tests: {
      [`${TEST}/guards.test.ts`]: [
        {
          name: 'is asked of the same process again, when it was a claim that got the lease',
          fails: 'no segment has come for the ids that were booked',
        },
      ],
    },
  },
  {
    file: `${SRC}/dispenser.ts`,
    from: 'if (unconfirmed !== undefined) throw unconfirmed;',
    to: '',
    tests: {
      [`${TEST}/wait-replicas.test.ts`]: [
        'keeps the order: the isolated primary gives nothing and says why',
        'lets a generator open that needs it, whose calls say what is missing',
        { name: 'gives no id', on: 'a connection that is cut' },
      ],
    },
  },
  {
    file: `${SRC}/dispenser.ts`,
    from: `if (claim.unconfirmed !== undefined) {
        this.#tolerate(claim.unconfirmed);
        continue;
      }`,
    to: '',
    tests: {
      [`${TEST}/guards.test.ts`]: ['gives nothing before a replica has the segment'],
      [`${TEST}/wait-replicas.test.ts`]: ['is not served by a primary that was cut off from its replica'],
    },
  },
  {
    file: `${SRC}/dispenser-hash.ts`,
    from: 'replicas < wanted ?',
    to: 'replicas < 1 ?',
    tests: {
      [`${TEST}/wait-replicas.test.ts`]: [
        'lets a generator open that needs it, whose calls say what is missing',
      ],
    },
  },
  {
    file: `${SRC}/scripts.ts`,
    from: 'CALL_TIMEOUT_MS + 2 * CONFIRM_MS',
    to: 'CONFIRM_MS',
    tests: {
      [`${TEST}/wait-replicas.test.ts`]: [
        {
          name: 'leaves a call an answer that waits twice, since the server does not know its script',
          fails: 'Redis did not answer within 500 ms',
        },
      ],
    },
  },
  {
    file: `${SRC}/scripts.ts`,
    from: 'const PARTS = 4;',
    to: 'const PARTS = 1;',
    tests: {
      [`${TEST}/long-turns.test.ts`]: [
        'also when each call takes two replies, because Redis lost its scripts',
      ],
    },
  },
  {
    file: `${SRC}/scripts.ts`,
    from: 'if (parts === PARTS) reject(late());',
    to: 'if (parts === Infinity) reject(late());',
    tests: {
      [`${TEST}/client-settings.test.ts`]: [
        { name: 'settles every call, in order, while replies are lost', on: 'without resending' },
      ],
    },
  },
  {
    file: `${SRC}/filler.ts`,
    from: 'if (this.#installing > 0) return;',
    to: '',
    tests: {
      [`${TEST}/ids-lost.test.ts`]: [
        'a lease that comes while the segment it asks for is on its way to Redis is not used',
      ],
    },
  },
  {
    file: `${SEGMENT}/adaptive-step.ts`,
    from: 'return Math.floor((maxIdsLost / 3) * 2);',
    to: 'return maxIdsLost === Number.POSITIVE_INFINITY ? maxIdsLost : 10 * maxIdsLost;',
    tests: {
      [`${TEST}/ids-lost.test.ts`]: [
        { name: 'is no more than may be lost, whatever demand had made of the step', fails: 'no id within' },
      ],
    },
  },
  {
    file: `${SRC}/filler.ts`,
    from: 'const size = isOnItsWay ? this.#lastSize : ',
    to: 'const size = ',
    tests: {
      [`${TEST}/ids-lost.test.ts`]: ['a process reserves a step where the ids it waits for are on their way'],
    },
  },
  {
    file: `${SRC}/filler.ts`,
    from: 'const behindFloor = this.#moved < MOVED_LIMIT;',
    to: 'const behindFloor = false;',
    tests: {
      [`${TEST}/ids-lost.test.ts`]: [
        'sets aside no more than may be lost, when each of three processes waits for the row',
      ],
    },
  },
  {
    file: `${SRC}/filler.ts`,
    from: 'await Promise.race([this.#running, pause(SETTLE_MS, enough.signal)]);',
    to: 'await this.#running;',
    tests: {
      [`${TEST}/closing.test.ts`]: ['a dispenser closes without waiting for a database that hangs'],
    },
  },
  {
    file: `${SRC}/filler.ts`,
    from: 'await Promise.race([this.#running, pause(SETTLE_MS, enough.signal)]);',
    to: '',
    tests: {
      [`${TEST}/closing.test.ts`]: [
        'a dispenser that closes waits for the segment on its way, which others then get',
      ],
    },
  },
  {
    file: `${SRC}/filler.ts`,
    from: 'if (highWaterMark > this.#markBefore) this.#failure = undefined;',
    to: '',
    tests: { [`${TEST}/degraded.test.ts`]: ['is ok again when another process has refilled'] },
  },
  {
    file: `${SRC}/filler.ts`,
    from: 'this.#failure = refillFailure(name, error);',
    to: '',
    tests: {
      [`${TEST}/revoked-right.test.ts`]: ['fails its calls for good, and serves the first call after'],
    },
  },
  {
    file: `${SRC}/dispenser.ts`,
    from: '!error.retryable && error !== judged',
    to: '!error.retryable',
    tests: {
      [`${TEST}/revoked-right.test.ts`]: [
        { name: 'fails its calls for good, and serves the first call after', fails: 'lacks a' },
        { name: 'is ready again after the right came back', fails: 'lacks a' },
      ],
    },
  },
  {
    file: `${SRC}/dispenser.ts`,
    from: '?? connection.failure ?? filler.failure ??',
    to: '?? filler.failure ??',
    tests: {
      [`${TEST}/health.test.ts`]: [
        'is down as soon as its client has lost Redis, without a call, until it is back',
      ],
    },
  },
  {
    file: `${SRC}/dispenser.ts`,
    from: 'return failure ?? starvedFailure(queue.starvedMs, () => waits.reason);',
    to: 'return failure;',
    tests: {
      [`${TEST}/health.test.ts`]: [
        'is not ok while every answer of Redis comes too late for its callers',
        'is down while calls get no id, also right after others were refused',
        'is down while the database hangs, in the process that asks it and in one that waits',
      ],
    },
  },
  {
    file: `${SRC}/dispenser.ts`,
    from: '?? connection.failure ?? filler.failure ??',
    to: '?? connection.failure ??',
    tests: {
      [`${TEST}/degraded.test.ts`]: ['is degraded while Redis still has ids, down without any'],
    },
  },
  {
    file: `${SRC}/dispenser.ts`,
    from: 'return (this.#failure ?? this.#options.connection.failure) === undefined ? this.#left : 0;',
    to: 'return this.#left;',
    tests: {
      [`${TEST}/health.test.ts`]: [
        'is down while Redis is away, however many ids it held, and well again once it answers',
      ],
    },
  },
  {
    file: `${SRC}/health.ts`,
    from: 'if (this.#askedAt !== undefined) {',
    to: 'if (false) {',
    tests: {
      [`${TEST}/health.test.ts`]: [
        'names Redis in the error of a call that it left without an answer, however short its deadline',
      ],
    },
  },
  {
    file: `${SRC}/dispenser.ts`,
    from: `.claim(booking, filler)
        .catch((error) => this.#tolerate(error));`,
    to: '.claim(booking, filler);',
    tests: {
      [`${TEST}/limits.test.ts`]: [
        'get what they booked, each in turn, although replies are lost while they wait',
      ],
    },
  },
  {
    file: `${SRC}/dispenser.ts`,
    from: 'filler.learn(reigns);',
    to: '',
    tests: {
      [`${TEST}/deposed-primary.test.ts`]: [
        'repeats nothing of a row that two hashes share, if a process comes back to it',
      ],
    },
  },
  {
    file: `${SEGMENT}/reserve-above.ts`,
    from: 'if (segment.low > floor) return segment;',
    to: 'return segment;',
    tests: {
      [`${TEST}/regression.test.ts`]: [
        { name: 'says so, raises the table and gives no id twice', fails: 'no id within' },
        {
          name: 'says so too when Redis lost its high-water mark with it: the process has its own',
          fails: 'no id within',
        },
        {
          name: 'says so in whichever process reserves next, and no process repeats an id of another',
          fails: 'no id within',
        },
      ],
      [`${TEST}/guards.test.ts`]: [
        { name: 'is an event, and is raised above all that was given', fails: 'no id within' },
      ],
      'packages/segment-inproc/test/integration/faults.test.ts': [
        'went back to an older state, gives no id twice and says so',
      ],
    },
  },
  {
    file: `${SEGMENT}/known-reigns.ts`,
    from: '(this.#knows(theirs) || this.#isEarlier(reigns))',
    to: 'false',
    tests: {
      [`${TEST}/deposed-primary.test.ts`]: ['repeats nothing'],
      'packages/segment-inproc/test/integration/deposed-primary.test.ts': [
        'repeats nothing if a process comes back to it',
      ],
    },
  },
];
