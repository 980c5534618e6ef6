import { spawnSync } from 'node:child_process';

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The user to run Postgres as, which refuses to run as root: `postgres` where that user exists, else
 * `nobody`. `undefined` when this process is not root and so needs no other user.
 */
export function unprivilegedUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const uid = idOf('-u', name);
    const gid = idOf('-g', name);
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error('Postgres does not run as root, and there is no user "postgres" or "nobody" to run it as');
}

function idOf(flag: '-u' | '-g', name: string): number | undefined {
  const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' });
  return status === 0 ? Number(stdout.trim()) : undefined;
}
