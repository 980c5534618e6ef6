import { type BigIntStats, readdirSync, readFileSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { IdError } from '@ids/core';

/*
 * Which file a database is in. A file has no identity of a server. What a restore changes is its inode,
 * unless the bytes are written into the file that is there, and the time of its birth, where the number of
 * the inode is used again. VACUUM, checkpoints and a move within the file system change neither. A copy to
 * another disk or volume changes both: its sequences skip ids once, which is harmless.
 */

/** A file as it is now. */
export interface FileIdentity {
  /** As a row stores it. Without the device, whose number may change when the machine starts. */
  readonly id: string;
  readonly device: string;
}

/** The file of this path; undefined if there is none. */
export function identityOf(path: string): FileIdentity | undefined {
  const found: BigIntStats | undefined = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (found === undefined) return undefined;
  return { id: `file-${found.ino}-${found.birthtimeNs}`, device: String(found.dev) };
}

export function isSameFile(one: FileIdentity | undefined, other: FileIdentity | undefined): boolean {
  return one !== undefined && one.id === other?.id && one.device === other.device;
}

/**
 * Whether this process has the file open; undefined where the system does not say. A connection that was
 * opened before the file at its path was replaced writes to a file that nobody else sees.
 */
function hasOpen(file: FileIdentity): boolean | undefined {
  try {
    return readdirSync('/proc/self/fd').some((fd) => isSameFile(openFile(fd), file));
  } catch {
    return undefined;
  }
}

function openFile(fd: string): FileIdentity | undefined {
  try {
    return identityOf(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}

/** Types of file systems of the Linux kernel whose locks do not reach other machines, or not reliably. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x5346414f, 'AFS'],
  [0x73757245, 'Coda'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
  [0x65735546, 'FUSE'],
]);

/** Those on the same machine as well, so they are only warned of. */
const MAYBE_LOCAL = ['9P', 'FUSE'];

/**
 * What is to be said of the file system: a warning for one that may be on another machine. Throws
 * `ERR_IDS_CONFIG` for one that is.
 */
function fileSystemWarnings(path: string): readonly string[] {
  if (process.platform !== 'linux') return [];
  const kind = NETWORK_FILE_SYSTEMS.get(Number(statfsSync(dirname(path)).type) >>> 0);
  if (kind === undefined) return [];
  if (MAYBE_LOCAL.includes(kind)) {
    return [
      `database ${path} is on ${kind}: if that is shared by machines, locks may not keep them apart, and ids may be issued twice`,
    ];
  }
  throw new IdError(
    'ERR_IDS_CONFIG',
    `database ${path} is on the network file system ${kind}, whose locks do not keep machines apart; use a local disk`,
  );
}

/**
 * SQLite names the log and the shared memory, which has the locks of mode WAL, after the path of the file. So
 * processes that use two names of one file issue the same ids.
 */
function assertOneName(path: string): void {
  const refused = (what: string, instead: string): IdError =>
    new IdError(
      'ERR_IDS_CONFIG',
      `database ${path} ${what}, so processes do not see each other's log and locks, and ids would be issued twice; ${instead}`,
    );
  const { nlink } = statSync(path);
  if (nlink > 1) throw refused(`has ${nlink} names (hard links)`, 'remove all names but one');
  if (isMountPoint(realpathSync(path))) throw refused('is mounted without its folder', 'mount the folder');
}

/** Whether the file itself is mounted; false where the system does not say. */
function isMountPoint(path: string): boolean {
  const decoded = (text: string): string =>
    text.replace(/\\(\d{3})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8)));
  try {
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    return mounts.some((mount) => decoded(mount.split(' ')[4] ?? '') === path);
  } catch {
    return false;
  }
}

/** A file that is open. */
export interface OpenFile {
  readonly path: string;
  readonly file: FileIdentity;
  readonly warnings: readonly string[];
}

/** The file that this process has open, by the path that its connection tells. */
export function fileAt(path: string): OpenFile {
  if (path === '') {
    throw new IdError(
      'ERR_IDS_CONFIG',
      'the database is in memory or temporary, so its ids would be issued again after a restart; use a file',
    );
  }
  const file = identityOf(path);
  if (file === undefined || hasOpen(file) === false) throw gone(path);
  assertOneName(path);
  return { path, file, warnings: [...fileSystemWarnings(path), copyWarning(path)] };
}

/** Throws unless the file that was opened is still at its path. */
export function assertInPlace({ path, file }: OpenFile): void {
  if (isSameFile(identityOf(path), file)) return;
  throw gone(path);
}

export function gone(path: string): IdError {
  return new IdError(
    'ERR_IDS_UNAVAILABLE',
    `database ${path} was deleted or replaced while it was open: what is written to it is seen by nobody else; open the file that is there now`,
  );
}

/** What nothing shows. */
function copyWarning(path: string): string {
  return `a backup that is copied into the file ${path} while it stays the same file is not noticed, and ids can be issued again: put a new file in its place; for a sequence, setFloor helps too`;
}
