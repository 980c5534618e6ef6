import { openGenerator, planGenerators } from '@ids/config';
import type { KeyedIdGenerator } from '@ids/core';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type OwnTable, openOwnTable } from '../support/own-table.js';

const SKIP = 1_000;
const KEYED = {
  strategy: 'segment-inproc',
  order: 'real-time',
  keyed: true,
  afterRestore: SKIP,
  afterFailover: SKIP,
} as const;

/** What `doctor` found that is not `ok`, without what depends on the server. */
async function complaints(own: OwnTable, ...argv: string[]): Promise<{ code: number; rows: string[] }> {
  const { code, stdout } = await own.ids('doctor', ...argv);
  const rows = stdout.split('\n').filter((line) => /^(?:warning|wrong)\t(?!database)/.test(line));
  return { code, rows: rows.filter((row) => !/standby|replication/.test(row)) };
}

describe.each(SQL_DIALECTS)('ids doctor on $server, of a keyed generator', (kind) => {
  async function openMessages(options: object = {}): Promise<OwnTable> {
    const own = await openOwnTable(kind);
    await own.configure({ message: { ...KEYED, ...options } });
    expect(await own.ids('apply')).toMatchObject({ code: 0 });
    return own;
  }

  it('names the rights on the table of the keys that a role lacks, and grants them', async () => {
    const own = await openMessages({ log: true });
    const account = await kind.createAccount(own.url);
    onTestFinished(() => account.close());
    await own.configure({ message: { ...KEYED, log: true, database: account.url } });
    // MariaDB lets nobody in who has no right at all on the database.
    if (kind.dialect === 'mysql') {
      await own.run(`CREATE TABLE ${own.table}_other (one INT)`);
      await account.run(`GRANT SELECT ON ${own.table}_other TO '${account.name}'@'%'`);
    }
    const granted: string[] = [];
    for (let round = 0; round < 2; round++) {
      const { code, rows } = await complaints(own);
      if (code === 0) break;
      expect(rows[0]).toMatch(new RegExp(`INSERT \\(.*sequence_key.*\\) on ${own.table}_key`));
      const [, statements = ''] = /which generators\.message needs: (.*)$/.exec(rows[0] ?? '') ?? [];
      for (const statement of statements.split(/; ?/).filter(Boolean)) {
        granted.push(statement);
        await account.run(statement);
      }
    }
    expect(granted.length).toBeGreaterThan(1);
    expect(await complaints(own)).toEqual({ code: 0, rows: [] });
    expect((await own.ids('next', 'message', '--key', 'a')).stdout).toBe('1\n');
  });

  it('warns of guards that are missing, and of a table that a crash empties', async () => {
    const own = await openMessages();
    const keys = `${own.table}_key`;
    expect(await complaints(own)).toEqual({ code: 0, rows: [] });
    const mysql = kind.dialect === 'mysql';
    await own.run(mysql ? `DROP TRIGGER ${keys}_delete` : `DROP TRIGGER id_key_guard ON ${keys}`);
    const { code, rows } = await complaints(own);
    expect(code).toBe(0);
    expect(rows[0]).toContain(`guards of key table ${keys}\tare incomplete`);
    expect((await own.ids('apply')).stdout).toBe(`created guards of key table ${keys}\n`);
    expect(await complaints(own)).toEqual({ code: 0, rows: [] });
    await own.run(mysql ? `ALTER TABLE ${keys} ENGINE = Aria` : `ALTER TABLE ${keys} SET UNLOGGED`);
    const broken = await complaints(own);
    expect(broken.code).toBe(1);
    expect(broken.rows[0]).toMatch(
      mysql ? /family message\t.*its engine is Aria/ : /family message\t.*not a permanent table/,
    );
  });

  it('names columns and tables that are missing', async () => {
    const own = await openMessages();
    const keys = `${own.table}_key`;
    await own.run(`DROP TABLE ${keys}`);
    const { code, rows } = await complaints(own);
    expect(code).toBe(1);
    expect(rows[0]).toBe(
      `wrong\tkey table ${keys}\tis missing, and generators.message needs it: create it with npx --no -- ids apply`,
    );
    await own.ids('apply');
    await own.run(`ALTER TABLE ${keys} DROP COLUMN ${kind.dialect === 'mysql' ? 'nth' : 'system_id'}`);
    const broken = await complaints(own);
    expect(broken.code).toBe(1);
    expect(broken.rows.join('\n')).toMatch(kind.dialect === 'mysql' ? /nth/ : /lacks rights or columns/);
  });

  async function openGenerators(own: OwnTable, options: object): Promise<KeyedIdGenerator[]> {
    const { family } = await import('../../src/built-in.js');
    const generators = { message: { ...KEYED, ...options, database: own.url, table: own.table } };
    const plan = planGenerators(family, { generators }).get('message');
    if (plan === undefined) throw new Error('the config has no generator "message"');
    const opened = await Promise.all([openGenerator(plan), openGenerator(plan)]);
    const processes = opened.flatMap(({ generator, keyed }) => (keyed ? [generator] : []));
    onTestFinished(async () => {
      for (const one of processes) await one.close();
    });
    return processes;
  }

  /** The highest ids that anybody saw, by key. */
  interface Seen {
    readonly ids: Map<string, number[]>;
    issue(keys: readonly string[], count: number): Promise<void>;
  }

  function watching(processes: readonly KeyedIdGenerator[]): Seen {
    const ids = new Map<string, number[]>();
    return {
      ids,
      async issue(keys, count) {
        const one = async (process: KeyedIdGenerator, key: string): Promise<void> => {
          const batch = await process.nextBatch(key, count);
          ids.set(key, [...(ids.get(key) ?? []), ...batch.map(Number)]);
        };
        await Promise.all(processes.flatMap((process) => keys.map((key) => one(process, key))));
      },
    };
  }

  /** The commands of a piece of advice, in order, with what was seen in place of `<…>`. */
  function commandsIn(
    advice: string,
    highest: (ofKey: string | undefined) => number,
    key: string,
  ): string[][] {
    return [...advice.matchAll(/npx --no -- ids ((?:floor|next) .*?)(?=, |: |\. |$)/gm)].map(
      ([, text = '']) => {
        const ofKey = text.includes('--key') ? key : undefined;
        return text
          .replace(/<the highest ID[^>]*>/, String(highest(ofKey)))
          .replace(/<key>|<a key>/, key)
          .replaceAll("'", '')
          .split(' ');
      },
    );
  }

  /** Restores tables that lack more of each key than is skipped, with processes that hold on. */
  async function loseMoreThanIsSkipped(options: object) {
    const own = await openMessages(options);
    const processes = await openGenerators(own, options);
    const seen = watching(processes);
    await seen.issue(['known'], 5);
    const dumps = [
      await kind.dumpTable(own.url, own.table),
      await kind.dumpTable(own.url, `${own.table}_key`),
    ];
    await seen.issue(['known', 'lost'], 2 * SKIP);
    await injectFault(async () => {
      for (const dump of dumps) await dump.restoreTo(own.url);
    });
    const highest = (key: string | undefined) =>
      Math.max(...(key === undefined ? [...seen.ids.values()].flat() : (seen.ids.get(key) ?? [])));
    return { own, seen, highest };
  }

  function repeats({ ids }: Seen): number[] {
    return [...ids.values()].map((of) => of.length - new Set(of).size);
  }

  faultTest('gives advice after a restore that repeats no ID if it is followed word by word', async () => {
    const { own, seen, highest } = await loseMoreThanIsSkipped({});
    const { code, rows } = await complaints(own);
    expect(code).toBe(1);
    const advice = rows.find((row) => row.startsWith('wrong\tfamily message\t')) ?? '';
    expect(advice).toContain('was restored');
    expect(rows).toContainEqual(expect.stringContaining('not opened, because of its sequence'));
    const commands = commandsIn(advice, highest, 'known');
    expect(commands.map(([name]) => name)).toEqual(['floor', 'floor', 'next']);
    for (const command of commands) expect(await own.ids(...command)).toMatchObject({ code: 0 });
    await seen.issue(['known', 'lost'], 5);
    expect(repeats(seen)).toEqual([0, 0]);
    expect(await complaints(own)).toEqual({ code: 0, rows: [] });
  });

  faultTest('says after a restore that Redis goes on with each key, until one is refilled', async () => {
    const own = await openOwnTable(kind);
    const skips = { afterRestore: SKIP, afterFailover: SKIP };
    await own.configure({ message: { strategy: 'segment-redis-db', keyed: true, minStep: 20, ...skips } });
    await own.ids('apply');
    const next = async (key: string) => Number((await own.ids('next', 'message', '--key', key)).stdout);
    await next('old');
    const tables = [own.table, `${own.table}_key`];
    const dumps = await Promise.all(tables.map((table) => kind.dumpTable(own.url, table)));
    expect(await next('lost')).toBe(1);
    await injectFault(async () => {
      for (const dump of dumps) await dump.restoreTo(own.url);
    });
    const advice = (await complaints(own)).rows.find((row) => row.startsWith('wrong\tfamily')) ?? '';
    expect(advice).toContain('The first refill of any key');
    expect(commandsIn(advice, () => 0, 'old').map(([name]) => name)).toEqual(['floor', 'floor']);
    expect(await next('lost')).toBe(2);
    const shown = await own.ids('floor', 'message', '--key', 'old');
    expect(shown.stderr).toContain('The refill after them');
    expect(await next('new')).toBeGreaterThan(SKIP);
    expect((await complaints(own)).rows).toEqual([]);
  });

  faultTest('gives advice in any order, twice, and while processes go on', async () => {
    const { own, seen, highest } = await loseMoreThanIsSkipped({});
    const advice = (await complaints(own)).rows.find((row) => row.startsWith('wrong\tfamily')) ?? '';
    const commands = commandsIn(advice, highest, 'known').filter(([name]) => name === 'floor');
    for (const command of [...commands.toReversed(), ...commands]) {
      expect(await own.ids(...command)).toMatchObject({ code: 0 });
    }
    const shown = await own.ids('floor', 'message', '--key', 'known');
    expect(shown.stderr).toMatch(/was restored.*ids floor message <.*> --key 'known'. Then start a process/);
    const during = (async () => {
      for (let round = 0; round < 5; round++) await seen.issue(['known', 'lost'], 3);
    })();
    for (const command of commands) await own.ids(...command);
    await during;
    expect(repeats(seen)).toEqual([0, 0]);
  });

  faultTest('gives advice that ends a refusal, of the family and of each key', async () => {
    const { own, seen, highest } = await loseMoreThanIsSkipped({
      afterRestore: 'refuse',
      afterFailover: 'refuse',
    });
    const advice = (await complaints(own)).rows.find((row) => row.startsWith('wrong\tfamily')) ?? '';
    await expect(seen.issue(['known'], 1)).rejects.toMatchObject({ code: 'ERR_IDS_REGRESSED' });
    const [ofFamily = [], ofKey = []] = commandsIn(advice, highest, 'known');
    expect(ofFamily.at(-1)).toBe('--checked');
    expect(await own.ids(...ofFamily)).toMatchObject({ code: 0 });
    await seen.issue(['lost'], 5);
    await expect(seen.issue(['known'], 1)).rejects.toMatchObject({
      code: 'ERR_IDS_REGRESSED',
      message: expect.stringContaining('pass it to raiseKey with checked: true'),
    });
    const { stderr } = await own.ids('floor', 'message', '--key', 'known');
    const [again] = commandsIn(stderr, highest, 'known');
    expect(again).toEqual(ofKey);
    expect(await own.ids(...ofKey)).toMatchObject({ code: 0 });
    await seen.issue(['known'], 5);
    expect(repeats(seen)).toEqual([0, 0]);
  });
});
