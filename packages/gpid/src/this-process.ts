import cluster from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { threadId } from 'node:worker_threads';
import { IdError } from '@ids/core';
import { parseOptions, shownValue } from '@ids/core/strategy';
import { defaultAddress, type ListeningServer, serverAddress } from './address.js';
import type { Evidence } from './evidence.js';
import { Gpid } from './gpid.js';
import { type GpidOptions, optionNames, optionsSchema, type ParsedOptions } from './options.js';
import { readProc, readProcStat } from './proc.js';
import { processStart, threadState } from './process-start.js';

export const STRATEGY_NAME = 'gpid';

/**
 * Where others reach this process: said, or read off a server. What is said goes before
 * what the server is bound to.
 */
export type ThisProcessOptions = GpidOptions | (Partial<GpidOptions> & { readonly server: ListeningServer });

/**
 * The gpid of this process, with all the evidence this thread has; equal at each call with the same options.
 * Throws `ERR_IDS_CONFIG` when an option is not right, or when no address is given and none is found: never a
 * silent 127.0.0.1. Without `address` the routes are read at each call: it is asked for once, at the start.
 */
export function thisProcess(options: ThisProcessOptions): Gpid {
  return gpidOf(placeOf(options));
}

/** The gpid of the process in which `server` listens: `thisProcess({ server })`. */
export function fromServer(server: ListeningServer): Gpid {
  return thisProcess({ server });
}

interface Place extends ParsedOptions {
  readonly family?: 'IPv4' | undefined;
}

/** `findAddress` is asked only where `place` names none. */
export function gpidOf({ port, address, family }: Place, findAddress = defaultAddress): Gpid {
  const ip = address ?? findAddress(family);
  if (ip === undefined) {
    throw new IdError(
      'ERR_IDS_CONFIG',
      `${STRATEGY_NAME}: option "address": must be given here, because no default route was found to take it from: ` +
        'an IP address by which others reach this process',
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
      `${STRATEGY_NAME}: option "server": must be a listening net.Server, got ${shownValue(server)}`,
    );
  }
  const { family, ...bound } = serverAddress(server, address);
  return { ...parsed({ ...others, port: port ?? bound.port, address: bound.address }), family };
}

function parsed(options: unknown): ParsedOptions {
  return parseOptions({ name: STRATEGY_NAME, options: optionsSchema, optionNames }, options);
}

/** Everything this thread can say for itself; the same at each call. */
export function ownEvidence(): Evidence {
  const state = threadState();
  const origin = performance.timeOrigin;
  // Made at first use and not at import, and again after a start-up snapshot, whose time origin is another.
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
 * Makes a new incarnation of this thread: its gpid and ids have another `run` from now on, while their
 * numbers go on. To be called in every thread that gives ids, before the next one, where a process was
 * copied while it ran (a virtual machine restored twice, CRIU). Processes that start from a V8
 * start-up snapshot need no call.
 */
export function newIncarnation(): void {
  const state = threadState();
  delete state.evidence;
  const { run } = ownEvidence();
  for (const [process, sequence] of state.sequences) sequence.prefix = `${process};run=${run}/`;
}

/** 16 of the 32 digits: 60 random bits. */
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
