import { layoutOf, lowestIdAt } from '@ids/snowflake';
import { createSlots, ensureSlotSchema, slotGrants } from '@ids/snowflake/sql';
import { describe, expect, it } from 'vitest';
import { openOwnSchema } from '../support/own-schema.js';

const SNOWFLAKE = { strategy: 'snowflake', startup: 'at-once' };
const DEAD = 'postgres://127.0.0.1:1/gone';

describe('ids inspect, of an id of slots', () => {
  it('tells who was granted its time, if there is a grant log', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { ...SNOWFLAKE, as: 'number', log: true, owner: 'host-7' } });
    await own.ids(['apply']);
    const id = (await own.ids(['next', 'order'])).stdout.trim();
    const { stdout } = await own.ids(['inspect', id]);
    expect(stdout).toContain('owner\thost-7\t\n');
    expect(stdout).toMatch(/^window\t20\d\d-[^\t]*Z\.\.20\d\d-[^\t]*Z\t$/m);
    expect(stdout).toMatch(/^granted\t20\d\d-[^\t]*Z\t$/m);
    // A bit of the slot, so the same time in another one.
    const other = (BigInt(id) ^ 64n).toString();
    expect((await own.ids(['inspect', other])).stdout).toContain(
      'owner\tunknown: its time was never granted to its slot, or granted to a process without the option "log"\t\n',
    );
  });

  it('shows what the id contains without a log, and without its database', async () => {
    const own = await openOwnSchema();
    await ensureSlotSchema(own.executor);
    await createSlots(own.executor, 'order', { slots: 1 });
    await own.configure({ order: SNOWFLAKE });
    const id = (await own.ids(['next', 'order'])).stdout.trim();
    const read = await own.ids(['inspect', id]);
    expect(read).toMatchObject({ code: 0, stderr: '' });
    expect(read.stdout).toMatch(/^time\t20\d\d-.*Z\tlayout 41\+10\+12@1735689600000$/m);
    expect(read.stdout).not.toContain('owner');
    const alone = await own.ids(['inspect', id], { IDS_DATABASE_URL: DEAD });
    expect(alone).toMatchObject({
      code: 0,
      stdout: read.stdout,
      stderr: expect.stringMatching(/^ids: generators\.order: cannot tell who issued it: .*ECONNREFUSED/),
    });
  });

  it('reads a low id of slots by the layout of its generator, not by how large it is', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { ...SNOWFLAKE, worker: 3 } });
    const [slot, sequence] = [3n << 12n, 5n];
    const { stdout } = await own.ids(['inspect', String((1_000n << 22n) + slot + sequence)], {});
    expect(stdout).toContain('time\t2025-01-01T00:00:01.000Z\tlayout 41+10+12@1735689600000\n');
    expect(stdout).toContain('slot\t3\t\nsequence\t5\t\n');
  });
});

describe('ids apply, where the slots have another layout', () => {
  it('creates what else is missing, then fails and says what to change, which helps', async () => {
    const own = await openOwnSchema();
    await ensureSlotSchema(own.executor);
    await createSlots(own.executor, 'order', { slots: 2 });
    const order = { ...SNOWFLAKE, as: 'string', layout: '41+6+6' };
    await own.configure({ order, bill: SNOWFLAKE });
    const otherLayout = {
      code: 3,
      stderr: expect.stringMatching(
        /generators\.order.*\bid_slot\b.*"order".*41\+10\+12@1735689600000.*"layout": "41\+10\+12".*"name"/,
      ),
    };
    expect(await own.ids(['apply', '--dry-run'])).toMatchObject({ ...otherLayout, stdout: '' });
    expect(await own.ids(['apply'])).toMatchObject({
      ...otherLayout,
      stdout: 'created slots bill in table id_slot, layout 41+10+12\n',
    });
    expect(await own.ids(['apply'])).toMatchObject({ ...otherLayout, stdout: '' });
    await own.configure({ order: { ...order, layout: '41+10+12' }, bill: SNOWFLAKE });
    expect(await own.ids(['apply'])).toEqual({ code: 0, stdout: 'nothing to create\n', stderr: '' });
    await own.configure({ order: { ...order, name: 'small order' } });
    expect((await own.ids(['apply'])).stdout).toBe(
      'created slots small order in table id_slot, layout 41+6+6\n',
    );
    expect((await own.ids(['next', 'order'])).stdout).toMatch(/^\d+\n$/);
  });

  it('names the epoch that the slots have', async () => {
    const own = await openOwnSchema();
    await ensureSlotSchema(own.executor);
    await createSlots(own.executor, 'order', { slots: 2, epoch: 1_420_070_400_000 });
    await own.configure({ order: SNOWFLAKE });
    const { code, stderr } = await own.ids(['apply']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/"layout": "41\+10\+12".*"epoch": 1420070400000/);
  });
});

/** The rows of the checks, `status what: found`, without those of the server, its clock and the config. */
async function rowsOf(
  own: Awaited<ReturnType<typeof openOwnSchema>>,
  url: string = own.url,
): Promise<{ code: number; rows: string[] }> {
  const { code, stdout } = await own.ids(['doctor'], { IDS_DATABASE_URL: url });
  const rows = stdout
    .split('\n')
    .filter((line) => /^(?:ok|warning|wrong)\t(?!database|ids\.config)/.test(line))
    .map((row) => row.replace(/\t(.*)\t/, ' $1: '));
  return { code, rows: rows.filter((row) => !row.includes('synchronous_standby_names')) };
}

describe('ids doctor, of a table of slots', () => {
  it('names the generator and the command, where something is missing', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { ...SNOWFLAKE, log: true } });
    const needs = 'is missing, and generators.order needs it: create it with npx --no -- ids apply';
    const look = async () => (await rowsOf(own)).rows.filter((row) => row.includes(needs));
    expect(await look()).toEqual([
      `wrong table id_slot: ${needs}`,
      `wrong grant log id_slot_log: ${needs}`,
      `wrong slots order in table id_slot, layout 41+10+12: ${needs}`,
    ]);
    await ensureSlotSchema(own.executor);
    expect((await look()).length).toBe(2);
    expect((await rowsOf(own)).code).toBe(1);
    await own.ids(['apply']);
    expect(await rowsOf(own)).toMatchObject({
      code: 0,
      rows: [
        expect.stringMatching(/^ok table id_slot: present, with all rights/),
        'ok slots order: 1024 of the layout 41+10+12, 0 in use',
        expect.stringMatching(/^ok generator order: snowflake opens/),
      ],
    });
  });

  it('names role, right and statement, where the role may not, and is content with the least rights', async () => {
    const own = await openOwnSchema();
    await ensureSlotSchema(own.executor, { log: true });
    await createSlots(own.executor, 'order', { slots: 4 });
    await own.configure({ order: { ...SNOWFLAKE, log: true } });
    const { role, url } = await own.roleWith(
      'GRANT USAGE ON SCHEMA $schema TO $role',
      'GRANT SELECT ON id_slot TO $role',
    );
    const statements = slotGrants(role, { log: true });
    const grants = statements.trimEnd().replaceAll('\n', ' ');
    const lacks =
      `role "${role}" lacks UPDATE (owner, since_ms, token, until_ms) and ` +
      `INSERT (from_ms, name, owner, slot, until_ms) on id_slot_log`;
    const refused = await rowsOf(own, url);
    expect(refused.code).toBe(1);
    expect(refused.rows[0]).toBe(`wrong table id_slot: ${lacks}, which generators.order needs: ${grants}`);
    const next = await own.ids(['next', 'order'], { IDS_DATABASE_URL: url });
    expect(next.stderr).toContain(`ids: ${lacks}: ${grants}\n`);
    for (const statement of statements.trimEnd().split('\n')) await own.executor.execute(statement, []);
    expect((await rowsOf(own, url)).rows).toEqual([
      `ok table id_slot: present, with all rights of role "${role}"`,
      'ok slots order: 4 of the layout 41+10+12, 0 in use',
      expect.stringMatching(/^ok generator order: snowflake opens/),
    ]);
    await own.executor.execute(`REVOKE UPDATE (timeline) ON id_slot FROM "${role}"`, []);
    expect((await rowsOf(own, url)).rows.slice(0, 2)).toEqual([
      `warning table id_slot: role "${role}" lacks UPDATE (timeline), so restores and promotions are not noticed, or too few ids skipped: ${grants}`,
      'ok slots order: 4 of the layout 41+10+12, 0 in use',
    ]);
  });

  it('shows a table that a crash empties, slots of another layout, guards that are off, and no free slot', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { ...SNOWFLAKE, as: 'number', deadlineMs: 500 } });
    await ensureSlotSchema(own.executor);
    await createSlots(own.executor, 'order', { slots: 1 });
    expect((await rowsOf(own)).rows[1]).toMatch(/^wrong slots order: .*\bid_slot\b.*"order".*41\+10\+12@/);
    await own.configure({ order: { ...SNOWFLAKE, deadlineMs: 500 } });
    await own.executor.execute('ALTER TABLE id_slot DISABLE TRIGGER USER', []);
    expect((await rowsOf(own)).rows.slice(1, 3)).toEqual([
      'ok slots order: 1 of the layout 41+10+12, 0 in use',
      expect.stringMatching(/^warning slots order: slot table id_slot: the triggers that refuse/),
    ]);
    // Until it is given back: an hour ahead.
    await own.executor.execute(
      'UPDATE id_slot SET until_ms = 1000 * extract(epoch FROM now()) + 3600000',
      [],
    );
    const full = await rowsOf(own);
    expect(full.code).toBe(1);
    expect(full.rows).toContain(
      'warning slots order: 1 of the layout 41+10+12, 1 in use: a start must wait until one is free',
    );
    await own.executor.execute('ALTER TABLE id_slot SET UNLOGGED', []);
    expect((await rowsOf(own)).rows[1]).toBe(
      'wrong slots order: slot table id_slot cannot be used: it is not a permanent table, so a crash empties it',
    );
  });
});

/** The plan of a swap: its floor, and what it says of the overlap, the sequence, the column and the type. */
async function planOf(
  own: Awaited<ReturnType<typeof openOwnSchema>>,
  from: string,
  to: string,
  ...options: string[]
) {
  const ran = await own.ids([
    'swap',
    '--from',
    from,
    '--to',
    to,
    '--generator',
    'order',
    '--json',
    ...options,
  ]);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const { findings, floor } = JSON.parse(ran.stdout) as {
    findings: { about: string; verdict: string; from: string; to: string; advice?: string }[];
    floor?: string;
  };
  const about = (what: string) => findings.find((finding) => finding.about === what);
  const [overlap, sequence] = [about('overlap'), about('sequence')];
  return { floor, overlap, sequence, column: about('column'), type: about('type') };
}

describe('ids swap, with slots', () => {
  it('computes the floor of a sequence from the time that was granted, above every id', async () => {
    const own = await openOwnSchema();
    await own.configure({ order: { ...SNOWFLAKE, as: 'number' }, next: { strategy: 'segment-inproc' } });
    await own.ids(['apply']);
    const before = await planOf(own, 'next', 'order');
    const issued = (await own.ids(['next', 'order', '-n', '1000'])).stdout.trim().split('\n');
    expect(await planOf(own, 'order', 'next')).toMatchObject({
      floor: undefined,
      overlap: { verdict: 'danger' },
    });
    const { floor, overlap } = await planOf(own, 'order', 'next', '--stopped');
    const last = Number(issued.at(-1));
    expect(Number(floor)).toBeGreaterThan(last);
    expect(Number(floor)).toBeLessThan(Number(lowestIdAt(Date.now() + 3_100, layoutOf('41+6+6'))));
    expect(overlap).toMatchObject({ verdict: 'danger', from: `up to ${floor}`, to: 'from 1' });
    expect(overlap?.advice).toContain(`ids floor <generator> ${floor}`);
    await own.ids(['floor', 'next', String(floor)]);
    expect((await own.ids(['next', 'next'])).stdout).toBe(`${Number(floor) + 1}\n`);
    // Still said after the floor is set: the ids of a process that runs would get above it.
    expect(await planOf(own, 'order', 'next')).toMatchObject({
      floor: undefined,
      overlap: { verdict: 'danger' },
    });
    expect(await planOf(own, 'order', 'next', '--stopped')).toMatchObject({ overlap: { verdict: 'same' } });
    expect(before).toMatchObject({
      floor: undefined,
      overlap: { verdict: 'same' },
    });
  });

  it('finds that no sequence gets above ids of 63 bits, nor an integer column', async () => {
    const own = await openOwnSchema();
    await own.executor.execute('CREATE TABLE orders (id bigint, old integer)', []);
    await own.configure({ order: { ...SNOWFLAKE, column: 'orders.id' } });
    await own.ids(['apply']);
    const id = (await own.ids(['next', 'order'])).stdout.trim();
    await own.executor.execute('INSERT INTO orders VALUES ($1, 48001)', [id]);
    const wide = BigInt(id) * 4n;
    await own.executor.execute('INSERT INTO orders VALUES ($1, 0)', [String(wide)]);
    expect(await planOf(own, 'order', 'segment-inproc')).toMatchObject({
      floor: undefined,
      overlap: {
        verdict: 'danger',
        from: `up to ${wide}`,
      },
      column: { verdict: 'same' },
      type: { from: 'bigint', to: 'number' },
    });
    await own.configure({ order: { strategy: 'segment-inproc', column: 'orders.old' } });
    const { column, type, overlap, sequence } = await planOf(own, 'order', 'snowflake');
    expect(column).toMatchObject({ verdict: 'danger', advice: expect.stringContaining('2147483647') });
    expect(type?.advice).toContain('JSON.stringify');
    expect(overlap).toMatchObject({ verdict: 'same', from: 'up to 48001' });

    expect(sequence).toMatchObject({ from: 'missing', to: 'nothing missing' });
  });

  it('tells the same slots from slots that can grant the same time', async () => {
    const own = await openOwnSchema();
    await own.configure({
      order: { ...SNOWFLAKE, as: 'number' },
      text: { ...SNOWFLAKE, name: 'order', as: 'string', layout: '41+6+6' },
      bill: { ...SNOWFLAKE, as: 'number' },
      wide: SNOWFLAKE,
    });
    await own.ids(['apply']);
    await own.ids(['next', 'order']);
    expect((await planOf(own, 'order', 'text')).overlap).toMatchObject({ verdict: 'same' });
    const repeats = {
      floor: undefined,
      overlap: { verdict: 'danger' },
    };
    expect(await planOf(own, 'order', 'bill')).toMatchObject(repeats);
    expect((await planOf(own, 'order', 'wide')).overlap).toMatchObject({ verdict: 'same' });
    await own.ids(['next', 'wide']);
    expect(await planOf(own, 'wide', 'order')).toMatchObject(repeats);
  });

  it('says how long to wait after a fixed worker, and that another worker gives other ids', async () => {
    const own = await openOwnSchema();
    const worker = (number: number, more = {}) => ({ ...SNOWFLAKE, as: 'number', worker: number, ...more });
    await own.configure({
      order: worker(3),
      same: worker(3, { overflow: 'throw' }),
      other: worker(4),
      older: worker(4, { epoch: Date.UTC(2024, 0) }),
      younger: worker(4, { epoch: Date.UTC(2026, 0) }),
      slots: { ...SNOWFLAKE, as: 'number' },
    });
    await own.ids(['apply']);
    const wait = {
      verdict: 'danger',
      advice: expect.stringMatching(/\b4 s\b/),
    };
    expect((await planOf(own, 'order', 'same', '--stopped')).overlap).toMatchObject(wait);
    expect((await planOf(own, 'order', 'slots', '--stopped')).overlap).toMatchObject(wait);
    expect((await planOf(own, 'order', 'other')).overlap).toMatchObject({
      verdict: 'same',
      from: 'worker 3',
      to: 'worker 4',
    });
    expect((await planOf(own, 'order', 'older')).overlap).toMatchObject({ verdict: 'same' });
    expect((await planOf(own, 'order', 'younger', '--stopped')).overlap).toMatchObject({
      verdict: 'danger',
      advice: expect.stringMatching(/\blayout\b/),
    });
  });
});
