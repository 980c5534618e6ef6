import type { IdStrategy } from '@ids/core';
import { gpid } from '@ids/gpid';
import { objectid } from '@ids/objectid/machine-pid';
import { segmentInproc } from '@ids/segment-inproc';
import { segmentRedisDb } from '@ids/segment-redis-db';
import { type CommandContext, idsCommand } from '../../src/index.js';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const strategies: readonly IdStrategy[] = [
  objectid,
  gpid,
  segmentInproc,
  segmentRedisDb,
] as readonly IdStrategy[];

/** Runs the command in this process, in folder `cwd`, and gives what it wrote. */
export async function runIds(
  cwd: string,
  argv: readonly string[],
  context: Partial<CommandContext> = {},
): Promise<Ran> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const code = await idsCommand(argv, {
    strategies,
    cwd,
    environment: {},
    stdout: { write: (text) => stdout.push(text) },
    stderr: { write: (text) => stderr.push(text) },
    ...context,
  });
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}
