import { randomBytes } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { OwnedProcess } from './owned-process.js';
import type { SystemUser } from './system-user.js';
import type { EndSignal } from './watchdog.js';

interface CommandOptions {
  /** A folder that the command may enter; its output goes to a file there. */
  readonly dir: string;
  readonly user?: SystemUser | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** `KILL` by default. */
  readonly endSignal?: EndSignal;
}

/**
 * Runs a command to its end, at most `timeoutMs`. It does not go on without this process (see `endSignal`).
 * Rejects with the last lines it printed unless its exit code is 0.
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<void> {
  const { dir, user, env, timeoutMs, endSignal = 'KILL' } = options;
  const logFile = join(dir, `${randomBytes(4).toString('hex')}.log`);
  const child = await OwnedProcess.start({ command, args, cwd: dir, user, env, logFile, endSignal });
  const timer = setTimeout(() => child.signal('SIGKILL'), timeoutMs);
  const code = await child.exitCode().finally(() => clearTimeout(timer));
  if (code !== 0) {
    const how = code === null ? `did not end within ${timeoutMs / 1000} s` : `ended with code ${code}`;
    throw new Error(`${command} ${how}; it printed:\n${child.log}`);
  }
}

/** The absolute path of an executable file on PATH. */
export function findOnPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  return folders.map((folder) => join(folder, name)).find(isExecutableFile);
}

export function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
