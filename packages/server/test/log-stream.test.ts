import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { uniqueName } from '@ids/local-services';
import { expect, it, onTestFinished } from 'vitest';
import { logStream } from '../src/process/log-stream.js';

it('writes the lines of a turn at its end, in their order, however many there are', async () => {
  const file = join(tmpdir(), uniqueName('log'));
  const fd = openSync(file, 'w');
  onTestFinished(() => {
    closeSync(fd);
    rmSync(file);
  });
  const log = logStream(fd);
  const lines = Array.from({ length: 1_000 }, (_, number) => `${JSON.stringify({ number })}\n`);

  log.write(lines[0] as string);
  expect(readFileSync(file, 'utf8')).toBe('');
  for (const line of lines.slice(1)) log.write(line);
  await nextTurn();
  expect(readFileSync(file, 'utf8')).toBe(lines.join(''));
});
