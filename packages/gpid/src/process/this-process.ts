import cluster from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { threadId } from 'node:worker_threads';
import { IdError } from '@ids/core';
import { formatValue, parseOptions } from '@ids/core/strategy';
import { defaultAddress, type ListeningServer, serverAddress } from './address.js';
import type { Evidence } from './evidence.js';
import { Gpid } from './gpid.js';
import { type GpidOptions, optionNames, optionsSchema, type ParsedOptions } from './options.js';
import { readProc, readProcStat } from './proc.js';
import { processStart, threadState } from './process-start.js';

export const STRATEGY_NAME = 'gpid';

/**
 * Where others reach this process: the given port and address, or those of a server. A given value takes
 * precedence over that of the server.
 */
export type ThisProcessOptions = GpidOptions | (Partial<GpidOptions> & { readonly server: ListeningServer });

/**
 * The gpid of this process, with all evidence available to this thread. Equal for every call with the same
 * options. Throws `ERR_IDS_CONFIG` if an option is invalid, or if no address is given and none is found; it
 * never falls back to 127.0.0.1. Without `address`, every call reads the routes, so call it once, at
 * start-up.
 */
export function thisProcess(options: ThisProcessOptions): Gpid {
  return gpidOf(placeOf(options));
}

/** The gpid of the process in which `server` listens: the same as `thisProcess({ server })`. */
export function fromServer(server: ListeningServer): Gpid {
  return thisProcess({ server });
}

interface Place extends ParsedOptions {
  readonly family?: 'IPv4' | undefined;
}

/** `findAddress` is called only if `place` has no address. */
export function gpidOf({ port, address, family }: Place, findAddress = defaultAddress): Gpid {
  const ip = address ?? findAddress(family);
  if (ip === undefined) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `${STRATEGY_NAME}: option "address": is required, because no default route was found: ` +
        'an IP address at which others reach this process',
    );
  }
  return Gpid.of({
    ip,
    port,
    startTime: processStart().startTime,
    pid: process.pid,
    evidence: ownEvidence(),
  });
}

function placeOf(options: ThisProcessOptions): Place {
  if (typeof options !== 'object' || options === null || !('server' in options)) return parsed(options);
  const { server, port, address, ...others } = options;
  if (typeof server?.address !== 'function') {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `${STRATEGY_NAME}: option "server": must be a listening net.Server, got ${formatValue(server)}`,
    );
  }
  const { family, ...bound } = serverAddress(server, address);
  return { ...parsed({ ...others, port: port ?? bound.port, address: bound.address }), family };
}

function parsed(options: unknown): ParsedOptions {
  return parseOptions({ name: STRATEGY_NAME, options: optionsSchema, optionNames }, options);
}

/** All evidence available to this thread; the same at every call. */
export function ownEvidence(): Evidence {
  const state = threadState();
  const origin = performance.timeOrigin;
  // Gathered on first use, not on import, and again in a process started from a snapshot, which has another
  // time origin.
  if (state.evidence?.origin !== origin) state.evidence = { origin, value: gatherEvidence() };
  return state.evidence.value;
}

function gatherEvidence(): Evidence {
  const evidence = {
    boot: bootId(),
    ticks: processStart().ticks,
    pidns: ownPidNamespace(),
    thread: threadId === 0 ? undefined : threadId,
    worker: clusterWorker(),
    run: randomBytes(8).toString('hex'),
  };
  return Object.fromEntries(Object.entries(evidence).filter(([, value]) => value !== undefined));
}

/**
 * Starts a new incarnation of this thread: its gpid and ids get a new `run`, while their numbers continue.
 * Call it in a process that was copied while running (a virtual machine restored twice, CRIU), in every
 * thread that issues ids, before the next id. Processes started from a V8 start-up snapshot need no call.
 */
export function newIncarnation(): void {
  const state = threadState();
  delete state.evidence;
  const { run } = ownEvidence();
  for (const [process, sequence] of state.sequences) sequence.prefix = `${process};run=${run}/`;
}

/** The first 16 of the 32 digits, which contain 60 random bits. */
export function bootId(): string | undefined {
  const digits = readProc('sys/kernel/random/boot_id')?.replaceAll('-', '').slice(0, 16) ?? '';
  return /^[0-9a-f]{16}$/.test(digits) ? digits : undefined;
}

export function ownPidNamespace(): number | undefined {
  try {
    const [, inode] = /^pid:\[(\d+)\]$/.exec(readlinkSync('/proc/self/ns/pid')) ?? [];
    return inode === undefined ? undefined : Number(inode);
  } catch {
    return undefined;
  }
}

function clusterWorker(): string | undefined {
  if (cluster.worker === undefined) return undefined;
  const primary = readProcStat(process.ppid);
  return primary === undefined ? undefined : `${cluster.worker.id}@${primary.startTicks}`;
}
