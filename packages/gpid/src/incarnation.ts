import cluster from 'node:cluster';
import { randomBytes } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { threadId } from 'node:worker_threads';
import type { Evidence } from './evidence.js';
import { readProc, readProcStat } from './proc-stat.js';
import { processStart } from './process-start.js';
import { threadState } from './thread-state.js';

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
