import { createSlots, ensureSlotSchema } from '@ids/snowflake/sql';
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
      stderr: expect.stringMatching(/^ids: generators\.order: who issued it is not known: .*ECONNREFUSED/),
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
