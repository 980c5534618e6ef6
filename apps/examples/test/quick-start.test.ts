import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { idsCommand } from '@ids/cli';
import { freePort } from '@ids/local-services';
import { SQLITE } from '@ids/local-services/dialects';
import { segmentInproc } from '@ids/segment-inproc';
import { describe, expect, it } from 'vitest';
import { configFolder } from './support/config-folder.js';
import { excerptsOf } from './support/excerpts.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = 'apps/examples/src/quick-start/';
const PAGE = 'docs/quick-start.md';
const [, configOfPage = ''] = /```json\n(.*?)```/s.exec(readFileSync(root + PAGE, 'utf8')) ?? [];
const tabs = excerptsOf(PAGE);

describe(PAGE, () => {
  it('shows every service as it stands', () => {
    const sources = readdirSync(root + folder).map((name) => folder + name);
    const shown = tabs.map(({ path, code }) => [path, `${code}\n`]);
    expect(shown.toSorted()).toEqual(
      sources.map((path) => [path, readFileSync(root + path, 'utf8')]).toSorted(),
    );
  });

  it.each(tabs)('$path issues ids, asks to try again while it cannot, and ends', async ({ path }) => {
    // Segments of one number, so that it soon needs the database again.
    const config = JSON.parse(configOfPage);
    Object.assign(config.generators.order, { minStep: 1, maxStep: 1, deadlineMs: 500 });
    await using files = await configFolder(config);
    await apply(files.cwd);
    const program = path.endsWith('/next.ts') ? 'apps/examples/test/support/next-host.ts' : path;
    await using service = await start(root + program, files.cwd);
    await expect.poll(service.post).toEqual([201, null, '{"id":"1"}']);

    const release = await SQLITE.connect(`${files.cwd}/ids.db`).hold('');
    const answers = [await service.post()];
    while (answers.at(-1)?.[0] === 201 && answers.length < 5) answers.push(await service.post());
    expect(answers.at(-1)?.slice(0, 2)).toEqual([503, '2']);
    expect(answers.at(-1)?.[2]).not.toContain('ids.db');
    await release();
    await expect.poll(service.post).toEqual([201, null, expect.stringMatching(/^\{"id":"\d+"\}$/)]);

    // NestJS closes the application, and then ends as the signal would have ended it.
    const ended = path.endsWith('/nestjs.ts') ? [null, 'SIGTERM'] : [0, null];
    expect(await service.end(), service.errors()).toEqual(ended);
  });
});

/** What `npx ids apply` does in a folder. */
async function apply(cwd: string): Promise<void> {
  const output = { write: () => true };
  const context = { cwd, environment: {}, stdout: output, stderr: output };
  expect(await idsCommand(['apply'], { strategies: [segmentInproc], ...context })).toBe(0);
}

/** A program of the page as a process, in the folder of its config. */
async function start(program: string, cwd: string) {
  const port = String(await freePort());
  const { PATH } = process.env;
  // Decorators are compiled as the settings say.
  const env = { PATH, PORT: port, TSX_TSCONFIG_PATH: `${root}apps/examples/tsconfig.json` };
  const args = ['--import', import.meta.resolve('tsx'), program];
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const exited = once(child, 'exit');
  return {
    post: async () => {
      const response = await fetch(`http://localhost:${port}/orders`, { method: 'POST' });
      return [response.status, response.headers.get('retry-after'), await response.text()];
    },
    errors: () => errors,
    end: () => {
      child.kill('SIGTERM');
      return exited;
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
