import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import envPaths from 'env-paths';
import { findOnPath, isExecutableFile, runCommand } from './run-command.js';
import { createTempDir, removeTempDir } from './temp-dir.js';

interface FetchedRedis {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

const aptTimeoutMs = 180_000;

/**
 * Debian's or Ubuntu's `redis-server` and those of its libraries that this machine lacks, downloaded
 * by `apt-get` with a state folder of its own (so without root and without installing) and unpacked
 * into the user's cache folder, once per distribution. Safe when several processes do it at once:
 * the first to finish wins.
 */
export async function fetchDebianRedis(): Promise<FetchedRedis> {
  const system = await distribution();
  const cacheRoot = envPaths('ids-local-services', { suffix: '' }).cache;
  const target = join(cacheRoot, `redis-${system.id}-${process.arch}`);
  const command = join(target, 'usr/bin/redis-server');
  if (!isExecutableFile(command)) {
    requireApt();
    process.stderr.write(
      `fetching redis-server (a package of ${system.name}, not installed) into ${target}: once\n`,
    );
    await fetchInto(target, cacheRoot);
  }
  return { command, env: { LD_LIBRARY_PATH: await libraryPath(target) } };
}

async function distribution(): Promise<{ id: string; name: string }> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const field = (name: string) => new RegExp(`^${name}="?([^"\\n]*)"?$`, 'm').exec(text)?.[1] ?? '';
  return { id: `${field('ID')}-${field('VERSION_ID')}`, name: field('PRETTY_NAME') || process.platform };
}

function requireApt(): void {
  if (findOnPath('apt-get') && findOnPath('dpkg-deb')) return;
  const mend =
    process.platform === 'darwin'
      ? 'brew install redis'
      : findOnPath('apk')
        ? 'apk add redis'
        : 'install redis-server so that it is on PATH';
  throw new Error(`no redis-server on PATH: ${mend}, or set REDIS_URL to a running Redis`);
}

async function fetchInto(target: string, cacheRoot: string): Promise<void> {
  const made: string[] = [];
  try {
    // Beside the target, because a rename works only within one file system.
    const unpacked = await createTempDir('redis', { parent: cacheRoot });
    made.push(unpacked);
    const work = await createTempDir('apt');
    made.push(work);
    for (const name of await download(work)) {
      await runCommand('dpkg-deb', ['-x', name, unpacked], { dir: work, timeoutMs: aptTimeoutMs });
    }
    await rename(unpacked, target).catch((error: unknown) => {
      if (!isExecutableFile(join(target, 'usr/bin/redis-server'))) throw error;
    });
  } catch (error) {
    throw new Error(
      `redis-server could not be fetched into ${target}: apt-get install redis-server (as root), or set REDIS_URL ` +
        `to a running Redis\n${messageOf(error)}`,
    );
  } finally {
    await Promise.all(made.map(removeTempDir));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Downloads into `work` and gives the paths of the packages. */
async function download(work: string): Promise<string[]> {
  const archives = join(work, 'cache/archives');
  await mkdir(join(work, 'state/lists/partial'), { recursive: true });
  await mkdir(join(archives, 'partial'), { recursive: true });
  // Images clear the download folder of the system in these hooks, which an ordinary user may not.
  const hooks = ['APT::Update::Pre-Invoke', 'APT::Update::Post-Invoke', 'APT::Update::Post-Invoke-Success'];
  await writeFile(join(work, 'apt.conf'), hooks.map((hook) => `#clear ${hook};\n`).join(''));
  const options = [
    ['-c', join(work, 'apt.conf')],
    ['-o', `Dir::State=${work}/state`],
    ['-o', 'Dir::State::status=/var/lib/dpkg/status'],
    ['-o', `Dir::Cache=${work}/cache`],
    ['-o', 'APT::Sandbox::User='],
    ['-o', 'Debug::NoLocking=1'],
    ['-o', 'Acquire::Languages=none'],
    ['-o', 'Acquire::Retries=2'],
    ['-o', 'Acquire::http::Timeout=20'],
    ['-o', 'Acquire::https::Timeout=20'],
  ].flat();
  const apt = (...args: string[]) => {
    const env = { ...proxySettings(), DEBIAN_FRONTEND: 'noninteractive' };
    return runCommand('apt-get', [...options, '-q', '-y', ...args], {
      dir: work,
      env,
      timeoutMs: aptTimeoutMs,
    });
  };
  // A third-party source that does not answer makes `update` fail though the distribution's own lists have
  // come; whether the lists suffice is for the download to say.
  const update = await apt('update', '-o', 'APT::Update::Error-Mode=any').catch((error: unknown) => error);
  await apt('install', '--download-only', '--no-install-recommends', 'redis-server').catch(
    (error: unknown) => {
      throw update ? new Error(`${messageOf(update)}\n${messageOf(error)}`) : error;
    },
  );
  const names = await readdir(archives);
  return names.filter((name) => name.endsWith('.deb')).map((name) => join(archives, name));
}

function proxySettings(): Record<string, string> {
  const names = ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** The folders below `usr/lib` and `lib` that hold shared libraries. */
async function libraryPath(root: string): Promise<string> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => /\.so(\.|$)/.test(entry.name)).map((entry) => entry.parentPath);
  return [...new Set(folders)].join(':');
}
