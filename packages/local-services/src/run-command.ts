import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { OwnedProcess } from './owned-process.js';
import type { SystemUser } from './system-user.js';

interface CommandOptions {
  /** A folder that the command may enter; its output goes to a file there. */
  readonly dir: string;
  readonly user?: SystemUser | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/**
 * Runs a command to its end, at most `timeoutMs`, and not beyond the life of this process. Rejects with the last
 * lines it printed unless its exit code is 0.
 */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<void> {
  const { dir, user, env, timeoutMs } = options;
  const logFile = join(dir, `${randomBytes(4).toString('hex')}.log`);
  const child = await OwnedProcess.start({ command, args, cwd: dir, user, env, logFile, endSignal: 'KILL' });
  const timer = setTimeout(() => child.signal('SIGKILL'), timeoutMs);
  const code = await child.exitCode().finally(() => clearTimeout(timer));
  if (code !== 0) {
    const how = code === null ? `did not end within ${timeoutMs / 1000} s` : `ended with code ${code}`;
    throw new Error(`${command} ${how}; it printed:\n${child.log}`);
  }
}
