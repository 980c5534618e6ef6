import { family, mainEntries } from '../../src/built-in.js';
import { type CommandContext, idsCommand } from '../../src/index.js';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in this process, in folder `cwd`, and gives what it wrote. */
export async function runIds(
  cwd: string,
  argv: readonly string[],
  context: Partial<CommandContext> = {},
): Promise<Ran> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const code = await idsCommand(argv, {
    strategies: family,
    serviceStrategies: mainEntries,
    cwd,
    environment: {},
    stdout: { write: (text) => stdout.push(text) },
    stderr: { write: (text) => stderr.push(text) },
    ...context,
  });
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}
