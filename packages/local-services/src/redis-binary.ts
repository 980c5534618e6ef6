import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fetchDebianPackage, hasApt } from './debian-package.js';
import { findOnPath } from './owned-process.js';

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

async function fetchDebianRedis(): Promise<FetchedRedis> {
  requireApt();
  const command = 'usr/bin/redis-server';
  const { root, libraries } = await fetchDebianPackage({
    name: 'redis-server',
    command,
    cache: 'redis',
    otherwise: ', or set REDIS_URL to a running Redis',
  });
  return { command: join(root, command), env: { LD_LIBRARY_PATH: libraries } };
}

function requireApt(): void {
  if (hasApt()) return;
  const mend =
    process.platform === 'darwin'
      ? 'brew install redis'
      : findOnPath('apk')
        ? 'apk add redis'
        : 'install redis-server so that it is on PATH';
  throw new Error(`no redis-server on PATH: ${mend}, or set REDIS_URL to a running Redis`);
}
