import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SystemUser } from './owned-process.js';
import { releaseDir, watchDir } from './watchdog.js';

interface TempDirOptions {
  /** The owner, if it is not the user of this process. */
  readonly owner?: SystemUser | undefined;
  /** Created if missing; the system's temporary folder by default. */
  readonly parent?: string;
}

/**
 * Creates a folder with mode 0700. {@link removeTempDir} removes it, or the watchdog once this process is
 * gone.
 */
export async function createTempDir(
  purpose: string,
  { owner, parent }: TempDirOptions = {},
): Promise<string> {
  if (parent) await mkdir(parent, { recursive: true });
  const path = join(parent ?? tempRoot(owner), `ids-${purpose}-${randomBytes(8).toString('hex')}`);
  // The watchdog first, then the folder: in the other order, a kill in between would leave the folder behind.
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

/** Another user cannot enter a private temporary folder such as /root/tmp, so that user gets a common one. */
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

/**
 * `prefix`, an underscore and 12 random hexadecimal digits: a name for a schema, a database or a key prefix
 * that no other test uses. `prefix` has 1 to 40 characters: a lower-case letter, then lower-case letters,
 * digits or underscores. So the name needs no quotes in SQL and fits in 63 bytes.
 */
export function uniqueName(prefix: string): string {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(prefix)) {
    throw new RangeError(
      `prefix ${JSON.stringify(prefix)}: a lower-case letter, then up to 39 of a-z, 0-9 and _ are accepted`,
    );
  }
  return `${prefix}_${randomBytes(6).toString('hex')}`;
}
