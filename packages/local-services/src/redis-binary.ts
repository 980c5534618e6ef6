import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import envPaths from 'env-paths';
import { createTempDir, removeTempDir } from './isolation.js';
import { findOnPath, isExecutableFile, runCommand } from './owned-process.js';

export interface RedisBinary {
  readonly command: string;
  /** Such as `7.0.15`. */
  readonly version: string;
  /** Where its shared libraries are, if they are not installed. */
  readonly env: Readonly<Record<string, string>>;
}

let found: Promise<RedisBinary> | undefined;

/**
 * `redis-server` on PATH; otherwise, on Debian and Ubuntu, the distribution's package, unpacked into a cache
 * folder.
 */
export function redisBinary(): Promise<RedisBinary> {
  found ??= findRedis().catch((error: unknown) => {
    found = undefined;
    throw error;
  });
  return found;
}

async function findRedis(): Promise<RedisBinary> {
  const installed = findOnPath('redis-server');
  const { command, env } = installed ? { command: installed, env: {} } : await fetchDebianRedis();
  const { status, stdout, stderr, error } = spawnSync(command, ['--version'], {
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
  });
  const version = /\bv=(\S+)/.exec(stdout ?? '')?.[1];
  if (status !== 0 || !version) {
    const hint = installed
      ? 'set REDIS_URL to use another server'
      : 'remove the folder to have it fetched again';
    throw new Error(`${command} does not run (${error?.message ?? stderr.trim()}): ${hint}`);
  }
  return { command, version, env };
}

interface FetchedRedis {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

const aptTimeoutMs = 180_000;

/**
 * The `redis-server` of Debian or Ubuntu, with the libraries that this machine lacks. `apt-get` downloads the
 * packages with a separate state folder, so it needs no root and installs nothing. They are unpacked into the
 * user's cache folder, once per distribution. Safe if several processes do it at once: the first to finish
 * wins.
 */
async function fetchDebianRedis(): Promise<FetchedRedis> {
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
    // Next to the target, because a rename works only within one file system.
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

/** Downloads the packages into `work` and returns their paths. */
async function download(work: string): Promise<string[]> {
  const archives = join(work, 'cache/archives');
  await mkdir(join(work, 'state/lists/partial'), { recursive: true });
  await mkdir(join(archives, 'partial'), { recursive: true });
  // In these hooks, container images clear the system's download folder, which an ordinary user may not do.
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
  // A third-party source that does not answer makes `update` fail although the lists of the distribution have
  // arrived. The download shows whether they suffice.
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
