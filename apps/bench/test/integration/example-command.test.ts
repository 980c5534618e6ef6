import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { alive, descendants } from '../support/processes.js';

// It starts `apps/examples/src/order-service.ts`, by the config in `apps/examples/service/ids.config.json`.
const program = fileURLToPath(new URL('../../../../scripts/example.mjs', import.meta.url));

it.each([
  ['segment-inproc', 0],
  ['segment-redis-db', 2],
])(
  'pnpm example serves ids of %s, at least %i processes, and leaves none of them',
  async (strategy, servers) => {
    const folder = await mkdtemp(join(tmpdir(), 'ids-example-'));
    const temporary = join(folder, 'tmp');
    await mkdir(temporary);
    const own = { TMPDIR: temporary, IDS_DATABASE_URL: `sqlite:${folder}/ids.db`, IDS_BUILT: '1' };
    const { REDIS_URL: _, DATABASE_URL: __, ...inherited } = process.env;
    const child = spawn(process.execPath, [program, '--port', '0', '--strategy', strategy], {
      env: { ...inherited, ...own },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const exited = once(child, 'exit');
      const lines: AsyncIterator<string> = createInterface(child.stdout)[Symbol.asyncIterator]();
      const { value: first } = await lines.next();
      const [, origin] = / of segment-.* at (http:\S+)$/.exec(first) ?? [];
      const response = await fetch(`${origin}/orders`, { method: 'POST' });
      expect([response.status, await response.json()]).toEqual([201, { id: '1' }]);
      const below = descendants(child.pid ?? 0);
      expect(below.length).toBeGreaterThanOrEqual(servers);
      child.kill('SIGINT');
      expect(await exited).toEqual([0, null]);
      await expect.poll(() => alive(below)).toEqual([]);
      // A cache of what loads configs, which stays after any process that reads one.
      expect((await readdir(temporary)).filter((name) => name !== 'jiti')).toEqual([]);
    } finally {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true });
    }
  },
);
