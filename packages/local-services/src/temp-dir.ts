import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SystemUser } from './system-user.js';
import { releaseDir, watchDir } from './watchdog.js';

interface TempDirOptions {
  /** Who owns it, when not this process's user. */
  readonly owner?: SystemUser | undefined;
  /** Made when missing; the system's temporary folder by default. */
  readonly parent?: string;
}

/**
 * A new folder, mode 0700. It is removed by {@link removeTempDir}, or by the watchdog
 * when this process is gone.
 */
export async function createTempDir(
  purpose: string,
  { owner, parent }: TempDirOptions = {},
): Promise<string> {
  if (parent) await mkdir(parent, { recursive: true });
  const path = join(parent ?? tempRoot(owner), `ids-${purpose}-${randomBytes(8).toString('hex')}`);
  // Told first and made then: the other way round a kill in between would leave it behind.
  await watchDir(path);
  try {
    await mkdir(path, { mode: 0o700 });
    if (owner) await chown(path, owner.uid, owner.gid);
  } catch (error) {
    await releaseDir(path);
    throw error;
  }
  return path;
}

export async function removeTempDir(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5 });
  await releaseDir(path);
}

/**
 * Another user cannot enter a private temporary folder such as /root/tmp, so then the common one is taken.
 */
function tempRoot(owner: SystemUser | undefined): string {
  if (!owner) return tmpdir();
  const candidates = [tmpdir(), '/tmp', '/var/tmp'];
  const found = candidates.find((path) => enters(owner, path));
  if (!found) {
    throw new Error(
      `no temporary folder that uid ${owner.uid} can enter (tried ${candidates.join(', ')}): set TMPDIR`,
    );
  }
  return found;
}

function enters(user: SystemUser, path: string): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', path], { ...user, cwd: '/', stdio: 'ignore' }).status === 0
  );
}
