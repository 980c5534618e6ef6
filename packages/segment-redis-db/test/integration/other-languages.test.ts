import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startRedis, uniqueName } from '@ids/local-services';
import { ensureReserveProcedure } from '@ids/segment/sql';
import { fromPgUrl } from '@ids/store/postgres';
import { Redis } from 'ioredis';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createSegmentRedisDbGenerator } from '../../src/index.js';
import { fault } from '../support/fixture.js';
import { type Context, createContext } from '../support/subject.js';

/** As docs/other-languages.md says: with the files, plain EVAL, and the statement that it names. */
function scriptOf(name: string): string {
  const read = (file: string) =>
    readFileSync(fileURLToPath(new URL(`../../src/lua/${file}.lua`, import.meta.url)), 'utf8');
  return `${read('reign')}\n${read(name)}`;
}

const SCRIPTS = { take: scriptOf('take'), install: scriptOf('install'), collect: scriptOf('collect') };
const LOW_WATER = 5;

/** A program in another language. */
async function openProgram({ redis: url, table, keyPrefix, name }: Context) {
  const redis = new Redis(url);
  const executor = await fromPgUrl(inject('databaseUrl'), { max: 1 });
  await ensureReserveProcedure(executor, { table });
  const [row] = (await executor.execute(`SELECT realm, reigns FROM ${table}`, [])).rows;
  const holder = randomUUID();
  const reigns = String(row?.reigns);
  const [schema] = table.split('.');
  const seen = { last: 0, top: 0 };
  const script = (which: keyof typeof SCRIPTS, ...args: (string | number)[]) =>
    redis.eval(SCRIPTS[which], 1, `${keyPrefix}{${name}}`, ...args);
  const fill = async (generation: string): Promise<unknown> => {
    const [segment] = (await executor.execute(`CALL ${schema}.ids_reserve($1, $2)`, [name, 10])).rows;
    return script(
      'install',
      generation,
      holder,
      String(segment?.low),
      String(segment?.high),
      LOW_WATER,
      0,
      reigns,
    );
  };
  const range = (low: number, count: number) => Array.from({ length: count }, (_, i) => low + i);
  const take = async (n: number): Promise<number[]> => {
    const who = [randomUUID(), holder, 1, 5_000, LOW_WATER];
    const reply = await script(
      'take',
      n,
      ...who,
      seen.last,
      seen.top,
      1_000,
      String(row?.realm),
      'in Go',
      reigns,
    );
    const [generation = '', , , ...numbers] = String(reply).split(' ');
    const [m = 0, , , filling, low1 = 0, count1 = 0, low2 = 0, count2 = 0, q = 0, offset = 0, owed = 0] =
      numbers.map(Number);
    seen.top = Math.max(seen.top, m);
    const ids = [...range(low1, count1), ...range(low2, count2)];
    if (filling === 1) await fill(generation);
    for (let at = [q, offset, owed] as number[]; (at[2] ?? 0) > 0; ) {
      const collected = (await script(
        'collect',
        generation,
        ...at,
        holder,
        1,
        5_000,
        'in Go',
        0,
      )) as string[];
      if (collected[0] !== 'OK') break;
      const [bound = 0, , again, , ...rest] = collected.slice(1).map(Number);
      seen.top = Math.max(seen.top, bound);
      at = rest.slice(0, 3);
      for (let i = 3; i < rest.length; i += 2) ids.push(...range(rest[i] ?? 0, rest[i + 1] ?? 0));
      if (again === 1) await fill(generation);
    }
    seen.last = Math.max(seen.last, ...ids);
    return ids;
  };
  return {
    take,
    [Symbol.asyncDispose]: async () => {
      redis.disconnect();
      await executor.close();
    },
  };
}

it('programs that run the scripts themselves share the ids with generators', async () => {
  await using redis = await startRedis();
  // A schema of its own, since it has one procedure.
  const schema = uniqueName('languages');
  const admin = await fromPgUrl(inject('databaseUrl'), { max: 1 });
  await admin.execute(`CREATE SCHEMA ${schema}`, []);
  onTestFinished(async () => {
    await admin.execute(`DROP SCHEMA ${schema} CASCADE`, []);
    await admin.close();
  });
  const context = await createContext(redis.url, inject('databaseUrl'), `${schema}.id_segment`);
  await using one = await openProgram(context);
  await using two = await openProgram(context);
  // Alone: nobody else fills.
  const ids = await one.take(7);
  expect(ids).toEqual([1, 2, 3, 4, 5, 6, 7]);
  await using generator = await createSegmentRedisDbGenerator({ ...context, minStep: 10, maxStep: 20 });
  for (let round = 0; round < 20; round++) {
    const taken = await Promise.all([one.take(3), generator.nextBatch(4), two.take(12), generator.next()]);
    ids.push(...taken.flat().map(Number));
  }
  expect(ids.length).toBe(7 + 20 * 20);
  expect(fault(ids.toSorted((a, b) => a - b))).toBeUndefined();
});
