import type { RemovedLine } from './removed-line.js';

const SRC = 'packages/segment/src';
const TEST = 'packages/segment/test/integration';
const INPROC = 'packages/segment-inproc/test/integration';
const REDIS = 'packages/segment-redis-db/test/integration';
const POSTGRES = 'Postgres';
const MARIADB = 'MariaDB';

/**
 * Lines of the table and of segments, without which their fault tests, and those of `segment-inproc`, fail.
 */
export const SEGMENT: readonly RemovedLine[] = [
  {
    file: `${SRC}/postgres/statements.ts`,
    from: "['synchronous_commit = on', 'client_min_messages = warning']",
    to: "['client_min_messages = warning']",
    tests: {
      [`${TEST}/durability.test.ts`]: [
        { name: 'has every segment it gave on disk when the server crashes', on: POSTGRES },
        {
          name: 'has on disk who drew a segment, together with the segment',
          on: POSTGRES,
          fails: 'table t_',
        },
        {
          name: 'has a sequence on disk when its creation was acknowledged',
          on: POSTGRES,
          fails: 'table t_',
        },
      ],
      [`${REDIS}/database-faults-under-load.test.ts`]: [
        {
          name: 'go on when it comes back after a crash, although it was told to commit carelessly',
          on: POSTGRES,
        },
      ],
    },
  },
  {
    file: `${SRC}/postgres/statements.ts`,
    from: "['synchronous_commit = on', 'client_min_messages = warning']",
    to: "['synchronous_commit = on']",
    tests: {
      [`${TEST}/synchronous-standby.test.ts`]: ['a segment that a synchronous standby never got is not used'],
    },
  },
  {
    file: `${SRC}/postgres/durability.ts`,
    from: 'if (!notices.some((notice) => MAYBE_NOT_REPLICATED.test(notice))) return;',
    to: 'return;',
    tests: {
      [`${TEST}/postgres-durability.test.ts`]: ['does not use a segment whose replication was given up on'],
    },
  },
  {
    file: `${SRC}/postgres/durability.ts`,
    from: 'row.in_recovery === true',
    to: 'false',
    tests: {
      [`${TEST}/postgres-durability.test.ts`]: ['is refused when it is a standby, which cannot reserve'],
    },
  },
  {
    file: `${SRC}/postgres/reign.ts`,
    from: "WHEN NOT ${writtenByLastXact('s')} OR s.system_id",
    to: 'WHEN s.system_id',
    tests: {
      [`${TEST}/reign.test.ts`]: [
        { name: 'is noticed by a process that knows nothing, which skips what the dump lacks', on: POSTGRES },
        { name: 'is skipped ahead in by 10,000,000 ids unless told otherwise', on: POSTGRES },
        { name: 'is noticed before anything was reserved from it', on: POSTGRES },
        { name: 'is noticed by one of many reservations that are made at once', on: POSTGRES },
        { name: 'is raised above a floor and what is skipped on top of it', on: POSTGRES },
        { name: 'is reserved from behind an expected id once, above what is skipped', on: POSTGRES },
        { name: 'is refused until a floor was set, where that is asked for', on: POSTGRES },
        { name: 'is still skipped ahead in, above a floor of ${floor} that was set twice', on: POSTGRES },
        { name: 'is skipped ahead in no more after a floor that was checked', on: POSTGRES },
        { name: 'is not noticed twice, also where its log is kept', on: POSTGRES },
        { name: 'is refused where what is to be skipped leaves the day', on: POSTGRES },
        { name: 'is not hidden by an UPDATE that knows nothing of it', on: POSTGRES },
      ],
      [`${TEST}/postgres-reign.test.ts`]: [
        'is seen in a lower max_id that was written past the guard',
        'still notices a restore on a server that does not tell its timeline',
      ],
      [`${TEST}/reserve-procedure.test.ts`]: ['notices a restore, skips what a generator would'],
      [`${INPROC}/table-went-back.test.ts`]: [
        { name: 'two running processes that had seen different amounts repeat nothing', on: POSTGRES },
        { name: 'processes refuse to go on from a restored table until a floor is set', on: POSTGRES },
      ],
      [`${INPROC}/real-time-order.test.ts`]: [
        { name: 'keeps it when the table goes back to a backup', on: POSTGRES },
      ],
      [`${REDIS}/restored-table.test.ts`]: [
        { name: 'repeat nothing of a restored row that they share', on: POSTGRES },
      ],
    },
  },
  {
    file: `${SRC}/mysql/reign.ts`,
    from: '(SELECT UNIX_TIMESTAMP(CREATE_TIME) FROM information_schema.TABLES WHERE ${isThis})',
    to: '(SELECT 1 FROM information_schema.TABLES WHERE ${isThis})',
    tests: {
      [`${TEST}/reign.test.ts`]: [
        { name: 'is noticed by a process that knows nothing, which skips what the dump lacks', on: MARIADB },
        { name: 'is noticed by one of many reservations that are made at once', on: MARIADB },
        { name: 'is raised above a floor and what is skipped on top of it', on: MARIADB },
        { name: 'is refused where what is to be skipped leaves the day', on: MARIADB },
      ],
      [`${INPROC}/table-went-back.test.ts`]: [
        { name: 'two running processes that had seen different amounts repeat nothing', on: MARIADB },
      ],
      [`${INPROC}/real-time-order.test.ts`]: [
        { name: 'keeps it when the table goes back to a backup', on: MARIADB },
      ],
      [`${REDIS}/restored-table.test.ts`]: [
        { name: 'repeat nothing of a restored row that they share', on: MARIADB },
      ],
    },
  },
  {
    file: `${SRC}/postgres/reign.ts`,
    from: ' OR s.system_id <> here_id',
    to: '',
    tests: {
      [`${TEST}/postgres-reign.test.ts`]: [
        'is noticed on another server, whatever transaction wrote it there',
      ],
    },
  },
  {
    file: `${SRC}/postgres/reign.ts`,
    from: ' OR s.database_id <> here_database',
    to: '',
    tests: { [`${TEST}/replaced-table.test.ts`]: ['is noticed, and skips what the copy lacks'] },
  },
  {
    file: `${SRC}/postgres/reign.ts`,
    from: "  WHEN s.timeline <> here_timeline THEN 'failover' END",
    to: ' END',
    tests: {
      [`${TEST}/promotion.test.ts`]: [
        { name: 'repeats nothing that was reserved in commits which it lacks', on: POSTGRES },
        { name: 'is refused, or skips nothing, where that was asked for', on: POSTGRES },
      ],
      [`${INPROC}/table-went-back.test.ts`]: [
        { name: 'a newcomer and a survivor repeat nothing after the failover', on: POSTGRES },
      ],
    },
  },
  {
    file: `${SRC}/postgres/statements.ts`,
    from: '\\n  AND ${SUPERSEDED} IS NOT TRUE',
    to: '',
    tests: {
      [`${TEST}/postgres-reign.test.ts`]: [
        'whose row a later timeline wrote is refused until somebody accepts it',
      ],
    },
  },
  {
    file: `${SRC}/known-reigns.ts`,
    from: 'return !accepted && isEarlierTimeline',
    to: 'return isEarlierTimeline',
    tests: {
      [`${TEST}/postgres-reign.test.ts`]: [
        {
          name: 'that an operator accepts is used again by processes that met its successor',
          fails: 'former primary',
        },
      ],
    },
  },
  {
    file: `${SRC}/known-reigns.ts`,
    from: 'throw createdAnew(this.#name, this.#realm, realm);',
    to: '',
    tests: { [`${TEST}/replaced-table.test.ts`]: ['is refused by generators that used the former one'] },
  },
  {
    file: `${SRC}/store/refusal.ts`,
    from: 'if (low > was) return;',
    to: 'return;',
    tests: {
      [`${TEST}/replaced-table.test.ts`]: ['that puts max_id back is noticed by the first reservation'],
    },
  },
  {
    file: `${SRC}/postgres/statements.ts`,
    from: '\n  AND ${withinTimeLimit(limit)}',
    to: '',
    tests: {
      [`${TEST}/time-limit.test.ts`]: [
        { name: 'is not made when the whole table was locked for longer', on: POSTGRES },
        { name: 'is told so, and not to set a floor, when the table has another history', on: POSTGRES },
      ],
    },
  },
  {
    file: `${SRC}/mysql/statements.ts`,
    from: '...(leftMs === undefined ? [] : [withinTimeLimit(leftMs)]),',
    to: '',
    tests: {
      [`${TEST}/mysql-durability.test.ts`]: ['is not made by a server that came to its row too late'],
    },
  },
  {
    file: `${SRC}/mysql/pool.ts`,
    from: "await committed(run, 'DO 0');",
    to: '',
    tests: {
      [`${TEST}/mysql-durability.test.ts`]: [
        'does not rely on what was read inside a transaction that somebody left open',
      ],
    },
  },
  {
    file: `${SRC}/mysql/pool.ts`,
    from: 'id?.toLowerCase() === grantId && ',
    to: '',
    tests: {
      [`${TEST}/mysql-multiplexer.test.ts`]: ['no number of another reservation is used behind a proxy'],
    },
  },
  {
    file: `${SRC}/mysql/pool.ts`,
    from: "pool.on('connection', (connection) => connection.on('error', () => {}));",
    to: '',
    tests: {
      [`${TEST}/fatal-after-ready.test.ts`]: ['a process lives on whose idle connection to a MySQL ends'],
    },
  },
  {
    file: `${SRC}/postgres/pool.ts`,
    from: "client.on('error', onError);",
    to: '',
    tests: { [`${TEST}/fatal-after-ready.test.ts`]: ['lives on, and uses another connection'] },
  },
  {
    file: `${SRC}/postgres/pool.ts`,
    from: '    assertOutsideTransaction(status);\n',
    to: '',
    tests: {
      [`${TEST}/pg-executor.test.ts`]: ['never reserves inside a transaction ${what} on a connection'],
    },
  },
  {
    file: `${SRC}/postgres/errors.ts`,
    from: "new IdError('ERR_IDS_UNAVAILABLE', `${what} ${table}: ${because}`",
    to: "new IdError('ERR_IDS_CONFIG', `${what} ${table}: ${because}`",
    tests: {
      [`${TEST}/pg-executor.test.ts`]: [
        'survives a server process that ends in the middle of a statement',
        'survives a connection that is reset in the middle of a statement',
      ],
      [`${TEST}/poolers.test.ts`]: [
        { name: 'a reservation that meets a locked row fails', on: 'statement_timeout' },
      ],
      [`${INPROC}/faults.test.ts`]: [
        { name: 'is down, serves from memory, then waits, then says why', on: POSTGRES },
      ],
      [`${REDIS}/database-faults-under-load.test.ts`]: [
        { name: 'wait for it while it is down, and go on by themselves', on: POSTGRES },
      ],
    },
  },
  {
    file: `${SRC}/mysql/errors.ts`,
    from: "new IdError('ERR_IDS_UNAVAILABLE', `segment table ${table}: ${because}`",
    to: "new IdError('ERR_IDS_CONFIG', `segment table ${table}: ${because}`",
    tests: {
      [`${INPROC}/faults.test.ts`]: [
        { name: 'is down, serves from memory, then waits, then says why', on: MARIADB },
      ],
      [`${REDIS}/database-faults-under-load.test.ts`]: [
        { name: 'wait for it while it is down, and go on by themselves', on: MARIADB },
      ],
    },
  },
  {
    file: `${SRC}/postgres/grant-log.ts`,
    from: 'ORDER BY l.granted_at DESC',
    to: 'ORDER BY l.granted_at',
    tests: {
      [`${TEST}/grant-log.test.ts`]: [{ name: 'shows both grants of an id, the latest first', on: POSTGRES }],
    },
  },
  {
    file: `${SRC}/mysql/grant-log.ts`,
    from: 'ORDER BY l.granted_at DESC',
    to: 'ORDER BY l.granted_at',
    tests: {
      [`${TEST}/grant-log.test.ts`]: [{ name: 'shows both grants of an id, the latest first', on: MARIADB }],
    },
  },
  {
    file: `${SRC}/postgres/guarded-table.ts`,
    from: "{ name: `${prefix}_guard`, mode: 'A' }",
    to: "{ name: `${prefix}_guard`, mode: 'O' }",
    tests: { [`${TEST}/logical-replication.test.ts`]: ['stops, and nothing is repeated'] },
  },
  {
    file: `${SRC}/postgres/guarded-table.ts`,
    from: "(tgname, tgenabled) IN (${triggers.map(({ name, mode }) => `('${name}', '${mode}')`).join(', ')})",
    to: "tgname IN (${triggers.map(({ name }) => `'${name}'`).join(', ')})",
    tests: {
      [`${TEST}/logical-replication.test.ts`]: [
        'fire for sessions only after a restore with --disable-triggers',
      ],
    },
  },
  {
    file: `${SRC}/mysql/schema.ts`,
    from: "IF(NEW.reign_table IS NULL, ${SERVER_HERE}, '${INSERTED}')",
    to: '${SERVER_HERE}',
    tests: {
      [`${TEST}/mysql-reign.test.ts`]: ['whose rows were inserted again is noticed by the first reservation'],
    },
  },
  {
    file: `${SRC}/mysql/reign.ts`,
    from: 'Math.max(failover, restore)',
    to: 'failover',
    tests: {
      [`${TEST}/mysql-reign.test.ts`]: [
        'of a promoted replica is noticed, and the greater of both skips applies',
      ],
    },
  },
  {
    file: `${SRC}/mysql/statements.ts`,
    from: '`IF(${numberOf(floor)} > ${highest}, ${numberOf(loss)}, 0)`',
    to: "'0'",
    tests: {
      [`${TEST}/mysql-reign.test.ts`]: [
        'whose max_id and mark were both lowered by hand is not noticed: only a floor helps',
      ],
    },
  },
  {
    file: `${SRC}/mysql/segment-source.ts`,
    from: 'if (group === undefined && start > LAST_ID - size) throw sequenceExhausted(name, size);',
    to: '',
    tests: {
      [`${TEST}/mysql-reign.test.ts`]: [
        'says that its end is reached when there is no room for what is skipped',
      ],
    },
  },
  {
    file: `${SRC}/postgres/statements.ts`,
    from: "groups.highestOf('$3::bigint'),",
    to: 'groups.highestOf(),',
    tests: {
      [`${TEST}/groups.test.ts`]: [
        { name: 'is raised above what was given today when the table went back', on: POSTGRES },
      ],
    },
  },
  {
    file: `${SRC}/mysql/statements.ts`,
    from: '...numbers([floor])]);',
    to: ']);',
    tests: {
      [`${TEST}/groups.test.ts`]: [
        { name: 'is raised above what was given today when the table went back', on: MARIADB },
      ],
    },
  },
  {
    file: `${SRC}/segment-refill.ts`,
    from: 'if (this.#failure !== undefined) held.lookAtNext();',
    to: '',
    tests: {
      [`${INPROC}/revoked-right.test.ts`]: [
        'notices a right that came back before the ids in memory run out',
      ],
    },
  },
  {
    file: `${SRC}/segment-buffer.ts`,
    from: 'failure: this.#refill.failure ?? starvedFailure(',
    to: 'failure: starvedFailure(',
    tests: {
      [`${INPROC}/outage.test.ts`]: [
        'gives the ids that health() promises while the database is away in mid-load',
      ],
    },
  },
  {
    file: `${SRC}/postgres/segment-source.ts`,
    from: '{ expiresAt: sentAt + Number(leftMs) }',
    to: '{ expiresAt: performance.now() + Number(leftMs) }',
    tests: {
      [`${TEST}/groups.test.ts`]: [
        { name: 'gives ids that expire with their group, however late the answer', on: POSTGRES },
      ],
    },
  },
  {
    file: `${SRC}/mysql/segment-source.ts`,
    from: 'expiresAt: readAt + endOfGroup',
    to: 'expiresAt: performance.now() + endOfGroup',
    tests: {
      [`${TEST}/groups.test.ts`]: [
        { name: 'gives ids that expire with their group, however late the answer', on: MARIADB },
      ],
    },
  },
];
