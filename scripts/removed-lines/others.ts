import type { RemovedLine } from './removed-line.js';

const SERVICES = 'packages/local-services/src';
const SERVICES_TEST = 'packages/local-services/test/integration';
const EXAMPLES = 'apps/examples/src';
const EXAMPLES_TEST = 'apps/examples/test';
const SEGMENT = 'packages/segment/src';

/** Lines of the servers that tests start, of the recipes, and of segments as others use them. */
export const OTHERS: readonly RemovedLine[] = [
  {
    file: `${SERVICES}/fault-proxy.ts`,
    from: "held: this.#mode === 'blackhole',",
    to: 'held: false,',
    tests: {
      [`${SERVICES_TEST}/fault-proxy.test.ts`]: [
        'holds everything in a black hole and delivers it afterwards, in order',
        'holds in a black hole also what was on its way',
      ],
    },
  },
  {
    file: `${SERVICES}/fault-proxy.ts`,
    from: "discarded: this.#mode === 'swallow-replies' && direction === 'replies',",
    to: 'discarded: false,',
    tests: {
      [`${SERVICES_TEST}/fault-proxy.test.ts`]: ['swallows replies while the commands are carried out'],
    },
  },
  {
    file: `${SERVICES}/redis-server.ts`,
    from: "await this.#process?.end('SIGKILL');",
    to: '',
    tests: { [`${SERVICES_TEST}/redis-server.test.ts`]: ['keeps nothing over a kill by default'] },
  },
  {
    file: `${SERVICES}/redis-replication.ts`,
    from: "void (await client.replicaof('NO', 'ONE'))",
    to: 'undefined',
    tests: { [`${SERVICES_TEST}/redis-replication.test.ts`]: ['promotes a replica with its data'] },
  },
  {
    file: `${SERVICES}/redis-replication.ts`,
    from: "await withRedis(replica.url, (client) => client.config('SET', 'masterauth', 'not the password'));",
    to: '',
    tests: {
      [`${SERVICES_TEST}/redis-cluster.test.ts`]: [
        'lets a replica take over with the data it had when its link broke',
      ],
    },
  },
  {
    file: `${SERVICES}/table-dump.ts`,
    from: '[`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1::jsonb)`, [rows]],',
    to: '',
    tests: {
      [`${SERVICES_TEST}/dialects.test.ts`]: [
        { name: 'reads what a restored dump has, and nothing later', on: 'Postgres' },
      ],
    },
  },
  {
    file: `${SERVICES}/mariadb-server.ts`,
    from: "await this.#process?.end(mode === 'fast' ? 'SIGTERM' : 'SIGKILL');",
    to: '',
    tests: {
      [`${SERVICES_TEST}/mariadb-server.test.ts`]: ['keeps committed rows, and only these, over a crash'],
    },
  },
  {
    file: `${SERVICES}/pgbouncer.ts`,
    from: "await this.#process?.end('SIGKILL');",
    to: '',
    tests: {
      [`${SERVICES_TEST}/pgbouncer.test.ts`]: [
        'takes its connections along when it is killed, and starts again',
      ],
    },
  },
  {
    file: `${SERVICES}/postgres-server.ts`,
    from: "await this.#process?.end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');",
    to: '',
    tests: {
      [`${SERVICES_TEST}/postgres-server.test.ts`]: [
        'keeps committed rows, and only these, over an immediate stop',
      ],
    },
  },
  {
    file: `${EXAMPLES}/recipes/express.ts`,
    from: 'if (!error.retryable) return',
    to: 'return',
    tests: {
      [`${EXAMPLES_TEST}/recipes/express.test.ts`]: ['Express asks to try again while ids cannot be given'],
    },
  },
  {
    file: `${EXAMPLES}/recipes/fastify.ts`,
    from: 'if (!error.retryable) return',
    to: 'return',
    tests: {
      [`${EXAMPLES_TEST}/recipes/fastify.test.ts`]: ['Fastify asks to try again while ids cannot be given'],
    },
  },
  {
    file: `${EXAMPLES}/recipes/hono.ts`,
    from: 'if (!isIdError(error) || !error.retryable) return',
    to: 'return',
    tests: {
      [`${EXAMPLES_TEST}/recipes/hono.test.ts`]: ['Hono asks to try again while ids cannot be given'],
    },
  },
  {
    file: `${EXAMPLES}/recipes/next.ts`,
    from: 'if (!isIdError(error) || !error.retryable)',
    to: 'if (true)',
    tests: { [`${EXAMPLES_TEST}/recipes/next.test.ts`]: ['Next.js route handlers ask to try again'] },
  },
  {
    file: `${EXAMPLES}/recipes/health.ts`,
    from: 'reply(serving.every(Boolean) ? 200 : 503,',
    to: 'reply(200,',
    tests: {
      [`${EXAMPLES_TEST}/recipes/health.test.ts`]: [
        'the health routes take a process whose Redis died off the load balancer',
      ],
    },
  },
  {
    file: `${EXAMPLES}/recipes/nestjs-health.ts`,
    from: 'serving ? indicator.up(facts) : indicator.down(facts)',
    to: 'indicator.up(facts)',
    tests: {
      [`${EXAMPLES_TEST}/recipes/nestjs-health.test.ts`]: ['terminus takes a Nest process whose Redis died'],
    },
  },
  {
    file: `${EXAMPLES}/order-service.ts`,
    from: 'return reply(ready ? 200 : 503, { ready });',
    to: 'return reply(200, { ready });',
    tests: {
      [`${EXAMPLES_TEST}/integration/deployment.test.ts`]: ['the manifest starts the service by its secrets'],
    },
  },
  {
    file: `${EXAMPLES}/order-service.ts`,
    from: 'await new Promise((resolve) => server.close(resolve));',
    to: 'server.close();',
    tests: {
      [`${EXAMPLES_TEST}/recipes/graceful-shutdown.test.ts`]: [
        'a service that is told to end answers who waits',
      ],
    },
  },
  {
    file: `${SEGMENT}/postgres/reign.ts`,
    from: "WHEN NOT ${writtenByLastXact('s')} OR s.system_id",
    to: 'WHEN s.system_id',
    tests: {
      'packages/cli/test/integration/lost-reservations.test.ts': [
        { name: 'keeps what is skipped, above a floor that is too low', on: 'Postgres' },
        { name: 'skips nothing above a floor that was checked', on: 'Postgres' },
        { name: 'is wrong for the doctor, which names what to do and changes nothing', on: 'Postgres' },
      ],
    },
  },
  {
    file: `${SEGMENT}/postgres/durability.ts`,
    from: 'if (!notices.some((notice) => MAYBE_NOT_REPLICATED.test(notice))) return;',
    to: 'return;',
    tests: {
      'packages/simulator/test/integration/standby-parity.test.ts': [
        { name: 'a synchronous standby is as that of Postgres, ${what}', on: 'with all guards' },
      ],
    },
  },
  {
    file: `${SEGMENT}/postgres/statements.ts`,
    from: 'if (ms === undefined) return null;',
    to: 'return null;',
    tests: {
      'packages/segment-inproc/test/integration/waste.test.ts': [
        {
          name: 'loses no segment while its row is locked through 4 attempts of ${count} processes',
          on: 'Postgres',
        },
      ],
    },
  },
];
