import type { RemovedLine } from './removed-line.js';

const SRC = 'packages/snowflake/src';
const TEST = 'packages/snowflake/test';

/** Lines without which slots, windows and fixed workers break what their fault tests are about. */
export const SNOWFLAKE: readonly RemovedLine[] = [
  {
    file: `${SRC}/keeper.ts`,
    from: 'signal.throwIfAborted();\n      const waitMs',
    to: 'const waitMs',
    tests: {
      [`${TEST}/keeper.test.ts`]: ['to a claim gives no slot: the one of the claim that followed is kept'],
    },
  },
  {
    file: `${SRC}/keeper.ts`,
    from: 'signal.throwIfAborted();\n    tenancy.answered',
    to: 'tenancy.answered',
    tests: { [`${TEST}/keeper.test.ts`]: ['grants no window, since the slot may have been lost by then'] },
  },
  {
    file: `${SRC}/keeper.ts`,
    from: 'held.add(window, granted.now, askedAt);',
    to: 'held.add(window, granted.now, now());',
    tests: { [`${TEST}/keeper.test.ts`]: ['counts from when it was asked for: a window ends'] },
  },
  {
    file: `${SRC}/keeper.ts`,
    from: 'tenancy.answered(answer, askedAt);',
    to: 'tenancy.answered(answer, this.#options.now());',
    tests: { [`${TEST}/keeper.test.ts`]: ['counts from when it was asked for: a window ends'] },
  },
  {
    file: `${SRC}/keeper.ts`,
    from: 'tenancy.claimed(answer, askedAt);',
    to: 'tenancy.claimed(answer, this.#options.now());',
    tests: {
      [`${TEST}/keeper.test.ts`]: ['to a claim leaves no more to wait for than if it had come at once'],
    },
  },
  {
    file: `${SRC}/keeper.ts`,
    from: 'this.#asking = this.#ask(WINDOW_MS);',
    to: 'this.#asking = this.#ask(this.#options.timeoutMs);',
    tests: {
      [`${TEST}/integration/outage.test.ts`]: [
        'a slot is kept by answers that take longer than callers wait',
      ],
    },
  },
  {
    file: `${SRC}/keeper.ts`,
    from: 'this.#failure = { error, at: new Date() };',
    to: '',
    tests: {
      [`${TEST}/integration/outage.test.ts`]: [
        'calls fail while the database is down, and are served when it is back',
      ],
    },
  },
  {
    file: `${SRC}/keeper.ts`,
    from: "if (refusal === 'ahead' && againMs > WINDOW_MS) this.#fail(clockWentBack(name, slot, againMs));",
    to: '',
    tests: {
      [`${TEST}/integration/clocks.test.ts`]: [
        'a database clock that is set back stops a generator until it is right again',
      ],
    },
  },
  {
    file: `${SRC}/keeper.ts`,
    from: 'if (ahead.length > 0) return behindTheSlots(name, layout, now, slots, ahead);',
    to: '',
    tests: {
      [`${TEST}/integration/clocks.test.ts`]: [
        'a start behind the time of all slots says that the clock went back',
      ],
    },
  },
  {
    file: `${SRC}/sql/slot-statements.ts`,
    from: "renew: grant(`WHEN now_ms >= $5::bigint THEN 'lapsed'`, ', $5::bigint'),",
    to: "renew: grant('', ', $5::bigint'),",
    tests: {
      [`${TEST}/integration/clocks.test.ts`]: [
        'a database clock that jumps forward costs the slot and a wait',
      ],
    },
  },
  {
    file: `${SRC}/sql/slot-statements.ts`,
    from: "renew: grant(`WHEN now_ms >= $5::bigint THEN 'lapsed'`, ', $5::bigint'),",
    to: "renew: grant(`WHEN now_ms >= $5::bigint THEN 'lapsed'`, ''),",
    tests: {
      [`${TEST}/integration/table-went-back.test.ts`]: [
        'a survivor raises a row that forgot a window of it, and says so',
      ],
    },
  },
  {
    file: `${SRC}/sql/slot-statements.ts`,
    from: "WHEN since_ms > now_ms + ${AHEAD_MS} THEN 'lapsed'\n",
    to: "WHEN false THEN 'lapsed'\n",
    tests: {
      [`${TEST}/integration/clocks.test.ts`]: [
        {
          name: 'a claim made while the database clock was ahead is made anew when it is right again',
          fails: 'no id within 30000 ms',
        },
      ],
    },
  },
  {
    file: `${SRC}/sql/slot-statements.ts`,
    from: ' OR s.since_ms > ${CLOCK_MS} + ${AHEAD_MS})',
    to: ')',
    tests: {
      [`${TEST}/integration/clocks.test.ts`]: [
        'a claim of a process that ended then keeps its slot from nobody',
      ],
    },
  },
  {
    file: `${SRC}/sql/slot-statements.ts`,
    from: 's.owner IS NULL OR s.since_ms + ${CLAIM_ENDS_MS} <= ${CLOCK_MS} OR ',
    to: 's.owner IS NULL OR ',
    tests: {
      [`${TEST}/integration/lives.test.ts`]: [
        { name: 'repeat no id, and lose no slot for good', fails: 'are held' },
      ],
      [`${TEST}/integration/processes.test.ts`]: [
        'a process that is paused for longer than its window repeats nothing of who got its slot',
      ],
    },
  },
  {
    file: `${SRC}/sql/slot-statements.ts`,
    from: "WHEN owner IS DISTINCT FROM $4::uuid THEN 'lost' ${refusals}",
    to: "WHEN owner IS DISTINCT FROM $4::uuid AND false THEN 'lost' ${refusals}",
    tests: {
      [`${TEST}/integration/clocks.test.ts`]: [
        'a claim of a process that ended then keeps its slot from nobody',
      ],
    },
  },
  {
    file: `${SRC}/held-windows.ts`,
    from: 'if (stamp < window.until) {',
    to: 'if (true) {',
    tests: {
      [`${TEST}/integration/processes.test.ts`]: [
        'a process that is paused for longer than its window repeats nothing of who got its slot',
      ],
    },
  },
  {
    file: `${SRC}/tenancy.ts`,
    from: 'this.#noticed = blank || newReign !== undefined;',
    to: 'this.#noticed = blank;',
    tests: {
      [`${TEST}/integration/table-went-back.test.ts`]: [
        'newcomers and survivors repeat nothing after a table was restored to before their claims',
        'a newcomer repeats nothing after the failover to a standby that lacks grants',
      ],
    },
  },
  {
    file: `${SRC}/tenancy.ts`,
    from: 'this.#noticed = blank || newReign !== undefined;',
    to: 'this.#noticed = newReign !== undefined;',
    tests: {
      [`${TEST}/integration/table-went-back.test.ts`]: [
        'nor if a migration created the slots, whose rows cannot show that the standby lacks claims',
        'nor if the server does not tell its timeline',
      ],
    },
  },
  {
    file: `${SRC}/sql/sql-slot-table.ts`,
    from: 'blank: row.blank === true || !this.#complete,',
    to: 'blank: row.blank === true,',
    tests: {
      [`${TEST}/integration/table-went-back.test.ts`]: ['nor if the server does not tell its timeline'],
    },
  },
  {
    file: 'packages/segment/src/postgres/reign.ts',
    from: "WHEN NOT ${writtenByLastXact('s')} OR s.system_id",
    to: 'WHEN s.system_id',
    tests: { [`${TEST}/integration/undisclosed-timeline.test.ts`]: ['notice that their table was restored'] },
  },
  {
    file: `${SRC}/worker-time.ts`,
    from: 'const first = Math.ceil((now + WORKER_AHEAD_MS - epoch) / unitMs);',
    to: 'const first = Math.ceil((now - epoch) / unitMs);',
    tests: {
      [`${TEST}/fixed-worker.test.ts`]: ['issues nothing that a process before it may have stamped'],
    },
  },
];
