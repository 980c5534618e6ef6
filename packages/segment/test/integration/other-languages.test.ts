import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bytesOf, DURABILITY, mysqlTable, textOf } from '@ids/store/mysql';
import { describe, expect, it } from 'vitest';
import { reserveStatement } from '../../src/mysql/statements.js';
import { UNGROUPED } from '../../src/postgres/groups.js';
import { reservationsFor } from '../../src/postgres/statements.js';
import {
  createSequence,
  ensureReserveProcedure,
  ensureSchema,
  SqlSegmentSource,
} from '../../src/sql/index.js';
import { openMysqlDatabase, openMysqlPool } from './mysql-database.js';
import { openDatabase, openPool } from './sql-database.js';

const page = fileURLToPath(new URL('../../../../docs/other-languages.md', import.meta.url));

function block(part: string): string {
  const place = new RegExp(`<!-- ${part} -->\\s+\`\`\`sql\\n(.*?)\\n\`\`\`\\s+<!-- /${part} -->`, 's');
  return place.exec(readFileSync(page, 'utf8'))?.[1] ?? '';
}

/** The statement of the generators, with user variables for what differs from call to call. */
function mysqlStatements(): string {
  const [name, size, grantId] = ['a name', 123_454_321, '0123456789ABCDEF0123456789ABCDEF'];
  const reservation = {
    name,
    size,
    grantId,
    floor: undefined,
    maxJump: 0,
    loss: null,
    expectedMaxId: undefined,
    within: undefined,
  };
  const history = { realm: 'a realm', names: 'some reigns', server: '1' };
  const durability = '1/0';
  const update = reserveStatement(mysqlTable('id_segment'), {
    ...reservation,
    history,
    durability,
    newNames: undefined,
    minute: 'any',
    owner: undefined,
    leftMs: undefined,
    group: undefined,
  })
    .replaceAll(textOf(history.realm), '@realm')
    .replaceAll(textOf(history.names), '@reigns')
    .replaceAll(bytesOf(name), '@name')
    .replaceAll(String(size), '@size')
    .replaceAll(`X'${grantId}'`, '@grant')
    .replaceAll('owner = NULL', 'owner = @owner')
    // Other programs leave it to the generators to look at how the server is set.
    .replace(`\n  AND ${DURABILITY} = ${textOf(durability)}`, '');
  return [
    `SET @name = 'order', @size = 100, @owner = 'billing', @grant = UNHEX(REPLACE(UUID(), '-', '')), @ids_granted = NULL;`,
    'SELECT realm, reigns INTO @realm, @reigns FROM id_segment WHERE server_name = @name;',
    'DO LAST_INSERT_ID(0);',
    `${update};`,
    // With a grant log, its triggers hide the number from LAST_INSERT_ID.
    `SELECT CASE WHEN LAST_INSERT_ID() > 0 THEN LAST_INSERT_ID() ELSE SUBSTRING_INDEX(@ids_granted, ' ', -1) END AS high;`,
  ].join('\n');
}

const STATEMENTS: Readonly<Record<string, string>> = {
  postgres: `${reservationsFor('id_segment', { guard: 'full', pace: true }, UNGROUPED).reserve.trim()};`,
  mysql: mysqlStatements(),
};

it.each(Object.entries(STATEMENTS))(
  'docs/other-languages.md has the statement of the generators: %s (IDS_WRITE_DOCS=1 writes it anew)',
  (part, wanted) => {
    if (process.env.IDS_WRITE_DOCS === '1') {
      const place = new RegExp(`(?<=<!-- ${part} -->\n).*?(?=<!-- /${part} -->)`, 's');
      writeFileSync(
        page,
        readFileSync(page, 'utf8').replace(place, () => `\n\`\`\`sql\n${wanted}\n\`\`\`\n\n`),
      );
    }
    expect(block(part)).toBe(wanted);
  },
);

/** Runs `reserve` beside generators; all numbers differ, and none is left out. */
async function beside(source: SqlSegmentSource, size: number, reserve: () => Promise<number>): Promise<void> {
  const highs = await Promise.all(
    Array.from({ length: 40 }, async (_, i) =>
      i % 2 === 0 ? reserve() : (await source.reserve('order', size)).high,
    ),
  );
  expect(highs.toSorted((a, b) => a - b)).toEqual(highs.map((_, i) => size * (i + 1)));
}

describe('the page for other languages', () => {
  it('reserves on Postgres by the procedure and by the statement, beside generators', async () => {
    const { executor, schema, table } = await openDatabase();
    await createSequence(executor, 'order', { table });
    await ensureReserveProcedure(executor, { table });
    const pool = openPool({ options: `-c search_path=${schema}` });
    const source = new SqlSegmentSource(executor, { table });
    let calls = 0;
    await beside(source, 100, async () => {
      calls += 1;
      if (calls % 2 === 0) return Number((await pool.query(block('postgres-call'))).rows[0].high);
      const values = ['order', 100, null, null, null, null];
      return Number((await pool.query(block('postgres'), values)).rows[0].max_id);
    });
    // What is lost without the procedure, as the page says.
    const client = await pool.connect();
    const values = ['order', 100, null, null, null, null];
    await client.query('BEGIN');
    const first = (await client.query(block('postgres'), values)).rows[0].max_id;
    await client.query('ROLLBACK');
    expect((await client.query(block('postgres'), values)).rows[0].max_id).toBe(first);
    client.release();
  });

  it.each([false, true])('reserves on MariaDB beside generators (with a grant log: %s)', async (log) => {
    const { executor, database, table } = await openMysqlDatabase();
    await ensureSchema(executor, { table, log });
    await createSequence(executor, 'order', { table });
    const pool = openMysqlPool({ database, multipleStatements: true });
    const reserve = async (name = 'order'): Promise<number | null> => {
      const [results] = await pool.query(block('mysql').replace("'order'", `'${name}'`));
      const [row] = (results as never[]).at(-1) as unknown as [{ high: number | string | null }];
      return row.high === null ? null : Number(row.high);
    };
    await beside(new SqlSegmentSource(executor, { table, log }), 100, async () => Number(await reserve()));
    expect(await reserve('nothing')).toBeNull();
    // A table of another reign is left to a generator, which skips.
    await pool.query(`UPDATE id_segment SET reign_server = 'elsewhere'`);
    expect(await reserve()).toBeNull();
    const { newReign } = await new SqlSegmentSource(executor, { table, log }).reserve('order', 100);
    expect(newReign).toMatchObject({ cause: 'failover' });
    expect(await reserve()).toBeGreaterThan(10_000_000);
  });
});
