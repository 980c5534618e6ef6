// How long `findGaps` takes for ten million rows, with and without an index on the key and the number:
// tsx packages/gapless/test/measure/audit.ts [rows] [Postgres or MariaDB]
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { openDatabase } from '@ids/store/open';
import { findGaps } from '../../src/index.js';

const rows = Number(process.argv[2] ?? 10_000_000);
const KEYS = 1_000;
/** Rows that are left out, each of them a gap. */
const MISSING = [4_711, 999_983];

const kinds = SQL_DIALECTS.filter(({ server }) => [undefined, server].includes(process.argv[3]));
for (const { dialect, server, start } of kinds) {
  await using database = await start(dialect === 'postgres' ? { shared_buffers: '256MB' } : {});
  const executor = await openDatabase(database.url);
  const run = (text: string) => executor.execute(text, []);
  await run('CREATE TABLE invoices (customer bigint NOT NULL, number bigint NOT NULL)');
  const series =
    dialect === 'postgres'
      ? `generate_series(0, ${rows - 1}) AS s(seq)`
      : `(SELECT seq FROM seq_0_to_${rows - 1}) s`;
  await run(`INSERT INTO invoices SELECT seq % ${KEYS}, FLOOR(seq / ${KEYS}) + 1 FROM ${series}
    WHERE seq NOT IN (${MISSING.join(', ')})`);
  if (dialect === 'postgres') await run('ANALYZE invoices');
  const documents = { table: 'invoices', column: 'number', keyColumn: 'customer' };
  const seconds = async () => {
    const before = performance.now();
    const { findings } = await findGaps(executor, documents);
    if (findings.length !== MISSING.length) throw new Error(`found ${findings.length} gaps`);
    return ((performance.now() - before) / 1_000).toFixed(1);
  };
  console.log(`${server}, ${rows} rows without an index: ${await seconds()} s`);
  await run('CREATE UNIQUE INDEX customer_number ON invoices (customer, number)');
  if (dialect === 'postgres') await run('VACUUM ANALYZE invoices');
  console.log(`${server}, ${rows} rows with an index: ${await seconds()} s`);
  await executor.close();
}
