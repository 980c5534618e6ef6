import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IdError, type IdErrorCode } from '@ids/core';
import { expect, it } from 'vitest';
import { runIds } from './support/run-ids.js';

/** The compiler refuses this without one of the codes. */
const CODES: Record<IdErrorCode, true> = {
  ERR_IDS_NOT_READY: true,
  ERR_IDS_UNAVAILABLE: true,
  ERR_IDS_TIMEOUT: true,
  ERR_IDS_CLOCK: true,
  ERR_IDS_CONFIG: true,
  ERR_IDS_UNMET: true,
  ERR_IDS_EXHAUSTED: true,
  ERR_IDS_REGRESSED: true,
  ERR_IDS_REALM: true,
  ERR_IDS_CLOSED: true,
};
const nowhere = import.meta.dirname;

it('every error code is explained, with a first sentence, and without targets of links', async () => {
  const { stdout } = await runIds(nowhere, ['explain', '--json']);
  const all = JSON.parse(stdout) as { code: string; when: string; text: string }[];
  expect(all.map(({ code }) => code)).toEqual(Object.keys(CODES));
  for (const { when, text } of all) {
    expect(when).toMatch(/^[A-Z].{10,160}\.$/);
    expect(text).not.toMatch(/\]\(|^#/m);
  }
});

it('the page says of each code whether the call may be repeated, as the class does', () => {
  const page = readFileSync(new URL('../errors.md', import.meta.url), 'utf8');
  for (const code of Object.keys(CODES) as IdErrorCode[]) {
    const { retryable } = new IdError(code, '');
    const [, section = ''] = page.split(`\n## ${code}\n`);
    expect([code, /\b(Not retryable|Retryable)\b/.exec(section)?.[0]]).toEqual([
      code,
      retryable ? 'Retryable' : 'Not retryable',
    ]);
  }
});

it('the page raises a sequence before it deletes the key in Redis, which may know of higher ids', () => {
  const page = readFileSync(new URL('../errors.md', import.meta.url), 'utf8');
  const both = page.split('\n\n').filter((part) => /ids floor/.test(part) && /delete the key/.test(part));
  expect(both).not.toEqual([]);
  for (const part of both) expect(part).toMatch(/ids floor.*delete the key/s);
});

it('a code is found in lower case too; one that does not exist is refused with those that do', async () => {
  expect(await runIds(nowhere, ['explain', 'err_ids_realm'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^ERR_IDS_REALM\n\n/),
  });
  const { code, stderr } = await runIds(nowhere, ['explain', 'ERR_IDS_TIME_OUT']);
  expect(code).toBe(2);
  expect(stderr).toContain('ERR_IDS_TIMEOUT');
});

it('a command that fails for a reason other than its config names the section', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'ids-explain-'));
  const order = { strategy: 'segment-inproc', database: 'postgres://127.0.0.1:1/ids' };
  await writeFile(join(cwd, 'ids.config.json'), JSON.stringify({ generators: { order } }));
  const failed = await runIds(cwd, ['next', 'order']);
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(/^ids: .*ids explain ERR_IDS_UNAVAILABLE /m);
  const wrong = await runIds(cwd, ['next', 'ordr']);
  expect(wrong.code).toBe(3);
  expect(wrong.stderr).not.toContain('explain');
  await rm(cwd, { recursive: true });
});
