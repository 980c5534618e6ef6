import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const root = fileURLToPath(new URL('./fixtures/fault-tests', import.meta.url));

/** Each test of the fixture with the first line of what it failed with, or `passed`. */
function outcomes(faults: 'on' | 'off'): Record<string, string> {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [vitest, 'run', '--root', root, '--reporter', 'json', '--silent'],
    { env: { ...process.env, IDS_FAULTS: faults }, encoding: 'utf8' },
  );
  const start = stdout.indexOf('{');
  if (start < 0) throw new Error(`vitest said: ${stdout}${stderr}`);
  const report = JSON.parse(stdout.slice(start)) as {
    testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
  };
  return Object.fromEntries(
    report.testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .map(({ title, status, failureMessages: [why = ''] }) => [
        title,
        status === 'passed' ? status : (why.split('\n')[0] ?? ''),
      ]),
  );
}

describe('a fault test', () => {
  it('passes with its fault, unless it injects none', () => {
    expect(outcomes('on')).toEqual({
      'feels its fault': 'passed',
      'feels its fault late': 'passed',
      'feels nothing': 'passed',
      'hangs without its fault': 'passed',
      'breaks without its fault': 'passed',
      'fails before its fault': 'passed',
      'injects nothing': expect.stringContaining('it needs injectFault'),
    });
  });

  it('fails without its fault, by an assertion, at once and after it', () => {
    expect(outcomes('off')).toEqual({
      'feels its fault': 'passed',
      'feels its fault late': 'passed',
      'feels nothing': expect.stringContaining('passes without its faults'),
      'hangs without its fault': expect.not.stringContaining('passed'),
      'breaks without its fault': expect.stringContaining('not by an assertion'),
      'fails before its fault': expect.stringContaining('it needs injectFault'),
      'injects nothing': expect.stringContaining('it needs injectFault'),
    });
  });
});
