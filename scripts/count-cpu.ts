import { appendFileSync, readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

const ticksPerSecond = 100;

/** With `IDS_TEST_CPU=FILE`, adds one line per test file: its CPU seconds, own and of ended children. */
afterAll(() => {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat
    .slice(stat.lastIndexOf(') ') + 2)
    .split(' ')
    .map(Number);
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15);
  const own = (utime + stime) / ticksPerSecond;
  const children = (cutime + cstime) / ticksPerSecond;
  appendFileSync(process.env.IDS_TEST_CPU ?? '', `${own} ${children} ${expect.getState().testPath}\n`);
});
