import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import envPaths from 'env-paths';
import { createTempDir, removeTempDir } from './isolation.js';
import { findOnPath, isExecutableFile, runCommand } from './owned-process.js';

/** A package of Debian and Ubuntu with a server in it. */
export interface DebianPackage {
  readonly name: string;
  /** The server in it: `usr/bin/redis-server`. */
  readonly command: string;
  /** The first part of the name of the folder in the cache. */
  readonly cache: string;
  /** What an error names besides `apt-get install`, with a comma before it; may be empty. */
  readonly otherwise: string;
}

export interface UnpackedPackage {
  readonly root: string;
  /** Its shared libraries, for `LD_LIBRARY_PATH`. */
  readonly libraries: string;
}

const aptTimeoutMs = 180_000;

/** Whether packages can be fetched here. */
export function hasApt(): boolean {
  return findOnPath('apt-get') !== undefined && findOnPath('dpkg-deb') !== undefined;
}

/**
 * A package of the distribution, with the libraries that this machine lacks. `apt-get` downloads the packages
 * with a separate state folder, so it needs no root and installs nothing. They are unpacked into the user's
 * cache folder, once per distribution. Safe if several processes do it at once: the first to finish wins.
 */
export async function fetchDebianPackage(wanted: DebianPackage): Promise<UnpackedPackage> {
  const system = await distribution();
  const cacheRoot = envPaths('ids-local-services', { suffix: '' }).cache;
  const root = join(cacheRoot, `${wanted.cache}-${system.id}-${process.arch}`);
  if (!isExecutableFile(join(root, wanted.command))) {
    process.stderr.write(
      `fetching ${wanted.name} (a package of ${system.name}, not installed) into ${root}: once\n`,
    );
    await fetchInto(root, cacheRoot, wanted);
  }
  return { root, libraries: await libraryPath(root) };
}

async function distribution(): Promise<{ id: string; name: string }> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const field = (name: string) => new RegExp(`^${name}="?([^"\\n]*)"?$`, 'm').exec(text)?.[1] ?? '';
  return { id: `${field('ID')}-${field('VERSION_ID')}`, name: field('PRETTY_NAME') || process.platform };
}

async function fetchInto(target: string, cacheRoot: string, wanted: DebianPackage): Promise<void> {
  const made: string[] = [];
  try {
    // Next to the target, because a rename works only within one file system.
    const unpacked = await createTempDir(wanted.cache, { parent: cacheRoot });
    made.push(unpacked);
    const work = await createTempDir('apt');
    made.push(work);
    for (const name of await download(work, wanted.name)) {
      await runCommand('dpkg-deb', ['-x', name, unpacked], { dir: work, timeoutMs: aptTimeoutMs });
    }
    await rename(unpacked, target).catch((error: unknown) => {
      if (!isExecutableFile(join(target, wanted.command))) throw error;
    });
  } catch (error) {
    throw new Error(
      `${wanted.name} could not be fetched into ${target}: apt-get install ${wanted.name} (as root)${wanted.otherwise}\n${messageOf(error)}`,
    );
  } finally {
    await Promise.all(made.map(removeTempDir));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Downloads the packages into `work` and returns their paths. */
async function download(work: string, name: string): Promise<string[]> {
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
  await apt('install', '--download-only', '--no-install-recommends', name).catch((error: unknown) => {
    throw update ? new Error(`${messageOf(update)}\n${messageOf(error)}`) : error;
  });
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
