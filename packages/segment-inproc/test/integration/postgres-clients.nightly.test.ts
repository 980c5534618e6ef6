import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startProcesses } from '@ids/conformance';
import { startPostgres, uniqueName } from '@ids/local-services';
import { POSTGRES_CLIENTS } from '@ids/local-services/dialects';
import { faultTest, injectFault } from '@ids/local-services/fault-test';
import { createSequence, ensureSchema } from '@ids/segment/sql';
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import { createContext, withExecutor } from '../support/subject.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const module = new URL('../support/subject.ts', import.meta.url);

describe.each(POSTGRES_CLIENTS)('segment-inproc on $server', ({ server, shared }) => {
  faultTest('repeats nothing in several processes, of which one is killed', async () => {
    const context = await createContext(await shared(), uniqueName('client'), 'number');
    await using run = await startProcesses({
      module,
      // On a busy machine, three processes that load all these clients take seconds.
      context: { ...context, client: server, deadlineMs: 60_000 },
      processes: 3,
      callers: 4,
    });
    await run.issued(5_000);
    const killed = await injectFault(() => {
      run.kill(1, 'SIGKILL');
      return true;
    });
    expect(killed).toBe(true);
    await run.issued(5_000);
    const { records } = await run.stop();
    const ids = records.flatMap((record) => record.ids.map(Number));
    expect(ids.length).toBeGreaterThanOrEqual(10_000);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

it('the program with postgres in docs/segments.md runs as it stands', async () => {
  const text = await readFile(join(root, '../../docs/segments.md'), 'utf8');
  const [, program = ''] = /^## Other clients of Postgres$.*?^```js\n(.*?)^```$/ms.exec(text) ?? [];
  await using server = await startPostgres();
  const sql = postgres(server.url);
  await withExecutor(sql, async (executor) => {
    await ensureSchema(executor);
    await createSequence(executor, 'order');
  });
  await sql.end();
  // Below this package, so that it finds what it imports.
  await mkdir(join(root, 'dist'), { recursive: true });
  const cwd = await mkdtemp(join(root, 'dist', 'postgres-'));
  try {
    await writeFile(join(cwd, 'program.mjs'), program);
    const env = { ...process.env, DATABASE_URL: server.url };
    const { stdout } = await promisify(execFile)(process.execPath, ['program.mjs'], { cwd, env });
    expect(stdout).toBe('1\n');
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
});
