import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessagesPage } from '@ids/local-services/messages-page';
import { createSequence, ensureSchema } from '@ids/segment/sql';
import { expect, it, onTestFinished } from 'vitest';
import { openOrders } from './support/numbered-orders.js';
import { type OwnSchema, openOwnSchema } from './support/own-schema.js';
import { type Ran, runIds } from './support/run-ids.js';

/*
 * What users of the command read, in messages.md: each sentence stands there, and in no other test. Read it
 * as prose; `pnpm vitest run --project cli messages -u` writes it anew.
 */

const page = new MessagesPage(import.meta.url, {
  // What is different in each run.
  always: (said) =>
    said
      .replaceAll(/\S+ids-cli-\w+/g, '/app')
      .replaceAll(/\b(cli|own|role|test)_\w*[0-9a-f]{6}[0-9a-f]*/g, '$1')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'),
});

/** Arguments, separated by spaces, and the exit code. */
type Commands = Readonly<Record<string, number>>;
type Ids = (...argv: string[]) => Promise<Ran>;

/** Of `next` the ids are left out, and of `doctor` what depends on the servers. */
function wordsOf(command: string, { stdout, stderr }: Ran): string {
  if (command.startsWith('next ')) return stderr;
  if (!command.startsWith('doctor')) return stdout + stderr;
  const ofServers = /synchronous_standby_names|^\w+\t(?:redis|database)(?: \w+)?\t/;
  const rows = stdout.split('\n').filter((row) => /^(?:warning|wrong)\t/.test(row) && !ofServers.test(row));
  return rows.map((row) => `${row}\n`).join('') + stderr;
}

async function tell(ids: Ids, commands: Commands): Promise<void> {
  for (const [command, code] of Object.entries(commands)) {
    const ran = await ids(...command.split(' '));
    expect(ran.code, `ids ${command}: ${ran.stdout}${ran.stderr}`).toBe(code);
    page.write(`ids ${command}`, `${wordsOf(command, ran)}(${code})`);
  }
}

const INPROC = { strategy: 'segment-inproc', minStep: 10, maxStep: 10 };
const KEYED = { strategy: 'segment-inproc', keyed: true, order: 'real-time' };
const OBJECTID = { strategy: 'objectid' };
const [DATABASE, REDIS] = [{ IDS_DATABASE_URL: 'postgres://d/x' }, { IDS_REDIS_URL: 'redis://r' }];

interface Scene {
  readonly config?: object;
  readonly files?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly commands: Commands;
}

/** Where nothing is created: what is refused leaves the folder as it was. */
const scenes: Readonly<Record<string, Scene>> = {
  'Without a config': {
    commands: {
      nxt: 2,
      next: 2,
      'next order -n 0': 2,
      'next order -n -3': 2,
      'next order --cuont=2': 2,
      'next order user': 2,
      'next -- --json --help': 2,
      'next --cwd': 2,
      'floor order -5': 2,
      'swap --from order': 2,
      'help nxt': 2,
      'explain ERR_IDS_TIME_OUT': 2,
      'completion powershell': 2,
      'next order': 3,
      'next snowflake': 3,
      'next segment-redis-db': 3,
      'next http': 3,
      'next uuid7 --as base63': 2,
      'next objectid --form typeid': 2,
      'next uuid7 --key a': 3,
      doctor: 3,
      'swap --from a --to b': 3,
      apply: 3,
      'floor a': 3,
      init: 2,
      'init --strategy serial': 2,
      'init --strategy objectid --apply': 2,
      'init --strategy objectid --database sqlite': 2,
      'init --strategy segment-redis-db --database sqlite': 2,
      'init --strategy snowflake --database sqlite3': 2,
      'init --strategy segment-redis-db --apply': 3,
      'init --strategy segment-inproc --database mysql --apply': 3,
    },
  },
  'Beside a variable that names another database': {
    environment: DATABASE,
    commands: { 'init --strategy snowflake --database sqlite': 2 },
  },
  'Beside a file that names another database': {
    environment: { IDS_DATABASE_URL_FILE: '/run/secrets/url' },
    commands: { 'init --strategy snowflake --database sqlite': 2 },
  },
  'Beside a config': {
    config: { order: OBJECTID },
    commands: {
      'next ordr': 3,
      'next order --as hex': 2,
      'next snowflake': 3,
      'next order --key a': 3,
      'floor order': 3,
      'inspect nonsense': 1,
      'inspect user_8zzzzzzzzzzzzzzzzzzzzzzzzz': 1,
      'swap --from order --to gpid': 0,
      'gaps invoice': 3,
      'init --strategy objectid': 2,
    },
  },
  'Beside a config of another kind': {
    files: { 'ids.config.yaml': 'generators: { order: { strategy: objectid } }' },
    commands: { 'init --strategy objectid --force': 2 },
  },
  'Beside two generators': {
    config: { a: OBJECTID, b: { strategy: 'gpid', port: 1 } },
    commands: { 'swap --from objectid --to gpid': 2, 'swap --from a --to snowflake': 2 },
  },
  'Beside a config that is wrong': {
    config: { order: { ...OBJECTID, require: { type: 'number' } }, event: { strategy: 'gpid' } },
    commands: { doctor: 3, 'next order': 3 },
  },
  'Beside what sets nothing': {
    files: {
      'ids.config.json': '{ "generators": { "order": { "strategy": "gpid", "strategy": "objectid" } } }',
    },
    environment: { IDS_ORDR_STRATEGY: 'gpid' },
    commands: { 'next order': 0, doctor: 0 },
  },
  'Without both servers': {
    config: { order: { strategy: 'segment-redis-db' } },
    commands: { 'next order': 3 },
  },
  'Without a Redis': {
    config: { order: { strategy: 'segment-redis-db' } },
    environment: DATABASE,
    commands: { 'next order': 3 },
  },
  'Without a database': {
    config: { order: { strategy: 'segment-redis-db' } },
    environment: REDIS,
    commands: { 'next order': 3, 'floor order': 3, apply: 3 },
  },
  'Where no server answers': {
    config: { order: { ...INPROC, database: 'postgres://127.0.0.1:1/ids' } },
    commands: { 'next order': 1, 'floor order': 1, apply: 1 },
  },
};

it.each(Object.entries(scenes))('%s', async (title, { config, files = {}, environment = {}, commands }) => {
  page.section(title);
  const cwd = await mkdtemp(join(tmpdir(), 'ids-cli-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const all = config ? { 'ids.config.json': JSON.stringify({ generators: config }) } : files;
  for (const [name, text] of Object.entries(all)) await writeFile(join(cwd, name), text);
  await tell((...argv) => runIds(cwd, argv, { environment }), commands);
  expect(await readdir(cwd)).toEqual(Object.keys(all));
});

it('in a file of SQLite', async () => {
  page.section('In a file of SQLite');
  const cwd = await mkdtemp(join(tmpdir(), 'ids-cli-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const generators = {
    order: { ...INPROC, log: true, owner: 'host-7' },
    message: { ...KEYED, log: true, owner: 'host-7' },
    event: { strategy: 'snowflake', startup: 'at-once' },
  };
  const config = { database: `sqlite:${join(cwd, 'ids.db')}`, generators, series: { invoice: {} } };
  await writeFile(join(cwd, 'ids.config.json'), JSON.stringify(config));
  const ids: Ids = (...argv) => runIds(cwd, argv);
  await tell(ids, { doctor: 1, 'floor order': 3 });
  // Makes the file.
  await tell(ids, { 'next order': 3, doctor: 1, 'floor order': 3, apply: 0 });
  await tell(ids, {
    doctor: 0,
    apply: 0,
    'next order -n 2': 0,
    'inspect 2': 0,
    'inspect 11': 0,
    'floor order': 0,
    'floor order 500': 0,
    'floor order 20': 1,
    'floor order --force': 2,
    'floor message': 0,
    'floor message 500': 0,
    'floor message --key a': 0,
    'floor message 70 --key b': 0,
    'floor message 1000 --key b': 0,
    'floor message 70 --key b --json': 1,
    'floor message 0 --key c': 1,
    'floor message --key a --checked': 2,
    'floor order --key a': 3,
    'floor event 500': 3,
    'next message': 3,
    'next order --key a': 3,
    'floor invoice 40 --key acme/2026 --force': 0,
    'floor invoice 3': 2,
    'floor invoice 40 --key acme': 1,
    'floor invoice': 0,
    'floor invoice --force': 2,
    'floor invoce 5': 3,
    'gaps invoice': 2,
  });
});

/** Runs commands in a schema of its own, as the superuser or as a role. */
const idsOf =
  (own: OwnSchema, database = own.url): Ids =>
  (...argv) =>
    own.ids(argv, { IDS_DATABASE_URL: database });

it('on Postgres', async () => {
  page.section('On Postgres');
  const own = await openOwnSchema();
  await own.configure({ order: { ...INPROC, column: 'page_orders.id' } });
  await tell(idsOf(own), { doctor: 1, apply: 3, 'next order': 3 });
  await own.executor.execute('CREATE TABLE page_orders (id bigint, code text)', []);
  await own.executor.execute("INSERT INTO page_orders VALUES (48000, 'R-1')", []);
  await tell(idsOf(own), { apply: 0, 'floor order 2000': 1, 'floor order 60000 --checked': 0 });
  page.section('On Postgres, in a swap of two generators of one column');
  const column = 'page_orders.id';
  await own.configure({ order: { ...INPROC, column }, bill: { ...INPROC, column } });
  await tell(idsOf(own), { 'apply --start-after 70000': 0 });
  await own.executor.execute('INSERT INTO page_orders VALUES (70001)', []);
  await tell(idsOf(own), { doctor: 0, apply: 0, 'floor order 65000': 1 });
  page.section('On Postgres, below the ids of the column');
  await own.configure({ order: { ...INPROC, column } });
  await tell(idsOf(own), { doctor: 1, apply: 3, 'floor order 70001': 0 });
  page.section('On Postgres, to a role without rights');
  const { url } = await own.roleWith('GRANT USAGE ON SCHEMA $schema TO $role');
  await tell(idsOf(own, url), { doctor: 1, 'next order': 3, 'floor order': 3 });
  page.section('On Postgres, after a restore');
  await own.configure({ order: { ...INPROC, afterRestore: 'refuse' } });
  await own.executor.execute('UPDATE id_segment SET system_id = 1', []);
  await tell(idsOf(own), { doctor: 1, 'next order': 1, 'floor order': 0 });
  page.section('On Postgres, with the table of somebody else');
  await own.configure({ order: { ...INPROC, table: 'page_orders' } });
  await tell(idsOf(own), { doctor: 1, apply: 3 });
  page.section('On Postgres, with a sequence that was lost');
  await own.configure({ order: { ...INPROC, name: 'lost', table: 'logged', log: true } });
  await ensureSchema(own.executor, { table: 'logged', log: true });
  await createSequence(own.executor, 'lost', { table: 'logged' });
  await idsOf(own)('next', 'order');
  await own.executor.execute('DROP TABLE logged', []);
  await tell(idsOf(own), { doctor: 1, 'next order': 3, apply: 0 });
});

it.each(['bigserial', 'auto-increment'] as const)('taking over %s', async (from) => {
  page.section(`Taking over ${from}`);
  const { orders, ids } = await openOrders(from);
  const migrate = (name: string, of: string = from) => `migrate ${name} --from ${of} --table ${orders}`;
  await tell(ids, {
    [migrate('text')]: 3,
    [migrate('uuid')]: 3,
    [migrate('order', 'identity')]: 3,
    [migrate('order', 'serial')]: 2,
    [`${migrate('order')} --run --back`]: 2,
    [`${migrate('order')}_none`]: 3,
    [migrate('order')]: 0,
    [`${migrate('order')} --run`]: 0,
  });
});

it('is on the page', () => page.compare({ codes: false }));
