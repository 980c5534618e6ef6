import { emptyHistory, type History, moveHistory } from '../history.js';
import type { CallPlan } from '../record-calls.js';
import {
  type FromMember,
  type Member,
  type MemberModules,
  type MemberSignal,
  memberModules,
  startProcess,
  startThread,
} from './start-member.js';

export interface RecordOptions extends CallPlan {
  /** See `ConformanceSubject.module`. */
  readonly module: URL;
  /** A context as `ConformanceSubject.fresh` returns it. */
  readonly context: unknown;
  /** How many processes, each with one generator; at least 1. */
  readonly processes: number;
  /**
   * Ends the run after this many milliseconds. Without it and without `perCaller`, the run continues until
   * `stop()`.
   */
  readonly durationMs?: number;
}

/** Starts child processes that each call a generator, and resolves once all of them are working. */
export function startProcesses(options: RecordOptions): Promise<Recording> {
  return start(options, startProcess);
}

/**
 * Like `startProcesses`, and waits for the end. Needs `perCaller` or `durationMs`, otherwise a `TypeError`.
 */
export async function recordProcesses(options: RecordOptions): Promise<History> {
  return (await start(bounded(options), startProcess)).history;
}

/** Like `recordProcesses`, with worker threads of this process instead of processes. */
export async function recordThreads(options: RecordOptions): Promise<History> {
  return (await start(bounded(options), startThread)).history;
}

/** The memory of a process that has made its calls, and whether it ended by itself. */
export interface Inspection {
  /** How many bytes its generator keeps for each id that it issued; a keyed one, for each key. */
  readonly keptBytes: number;
  /** What kept it from ending by itself, as Node.js names it; empty if it ended within 2 s of `close()`. */
  readonly keptBy: readonly string[];
}

/** Runs one process like `recordProcesses`, and inspects it once it has made its calls. */
export async function inspectProcess(options: Omit<RecordOptions, 'processes'>): Promise<Inspection> {
  let inspection: Inspection = { keptBytes: Number.NaN, keptBy: [] };
  const startInspected = (modules: MemberModules): Member => {
    const member = startProcess(modules);
    member.onMessage((message) => {
      const { keptBytes, keptBy } = inspection;
      if (message.type === 'done') inspection = { keptBy, keptBytes: message.keptBytes ?? keptBytes };
      if (message.type === 'kept') inspection = { keptBytes, keptBy: message.by };
    });
    return member;
  };
  const run = await start(bounded({ ...options, processes: 1 }), startInspected, { inspect: true });
  await run.history;
  return inspection;
}

async function start(
  options: RecordOptions,
  startMember: (modules: MemberModules) => Member,
  { inspect = false } = {},
): Promise<Recording> {
  const { module, context, processes, durationMs, ...plan } = options;
  const modules = await memberModules(module);
  const members = Array.from({ length: processes }, () => startMember(modules));
  const recording = await startRecording(members, { module: modules.module, context, plan, inspect });
  if (durationMs !== undefined) {
    const timer = setTimeout(recording.stop, durationMs);
    const stopTimer = (): void => clearTimeout(timer);
    recording.history.then(stopTimer, stopTimer);
  }
  return recording;
}

function bounded(options: RecordOptions): RecordOptions {
  if (options.perCaller === undefined && options.durationMs === undefined) {
    throw new TypeError(
      'a run to its end needs perCaller or durationMs; startProcesses() continues until stop()',
    );
  }
  return options;
}

/**
 * A run in progress, with one generator per process. Its owner awaits `history`, calls `stop` or disposes of
 * it.
 */
export interface Recording extends AsyncDisposable {
  /** The operating system's process ids; index 0 is process 1 of the history. */
  readonly pids: readonly number[];
  /**
   * The merged history, once every process has made its calls, or was stopped or killed, and has closed its
   * generator. If a process fails, the others are ended and it rejects with the stack trace of the failure.
   */
  readonly history: Promise<History>;
  /** Lets pending calls settle, closes the generators and returns the history. */
  stop(): Promise<History>;
  /**
   * Resolves once `count` more ids have been recorded, counted from now; rejects when the run ends before.
   */
  issued(count: number): Promise<void>;
  /**
   * Sends a signal to a process, numbered from 1. A killed process is expected to end. Its pending calls, and
   * those of about its last 20 ms, are missing from the history.
   */
  kill(process: number, signal: MemberSignal): void;
  /** How often the modules of all processes have called `note(event)`. They report every 20 ms. */
  noted(event: string): number;
  /**
   * Kills processes that are still running, for instance after a test has failed. No effect after the end.
   */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens a generator in each member and starts them together. */
async function startRecording(
  members: readonly Member[],
  { module, context, plan, inspect }: { module: URL; context: unknown; plan: CallPlan; inspect: boolean },
): Promise<Recording> {
  const history = emptyHistory();
  const events = new Map<string, number>();
  const killed = new Set<Member>();
  const milestones = new Set<{ readonly at: number; reached(): void }>();
  let ids = 0;

  const runs = members.map((member, index) => {
    const opened = deferred<void>();
    const done = deferred<void>();
    let closed = false;
    const fail = (error: Error): void => {
      opened.reject(error);
      done.reject(error);
    };
    member.onMessage((message: FromMember) => {
      if (message.type === 'opened') opened.resolve();
      if (message.type === 'done') {
        closed = true;
        // A process that is inspected ends by itself, or says why it cannot.
        if (!inspect) done.resolve();
      }
      if (message.type === 'kept') done.resolve();
      if (message.type === 'error') fail(new Error(`process ${index + 1} failed: ${message.stack}`));
      if (message.type === 'part') {
        for (const event of message.noted) events.set(event, (events.get(event) ?? 0) + 1);
        take(message.history);
      }
    });
    void member.ended.then((how) => {
      if (killed.has(member) || closed) done.resolve();
      else fail(new Error(`process ${index + 1} ${how} before its work was done`));
    });
    member.send({ type: 'open', module: module.href, context, keyed: plan.keys !== undefined });
    return { opened: opened.promise, done: done.promise };
  });

  function take(part: History): void {
    for (const record of part.records) ids += record.ids.length;
    moveHistory(part, history);
    for (const milestone of milestones) {
      if (ids < milestone.at) continue;
      milestones.delete(milestone);
      milestone.reached();
    }
  }

  async function finish(): Promise<History> {
    try {
      await Promise.all(runs.map(({ done }) => done));
      return history;
    } finally {
      await end(members);
    }
  }

  try {
    await Promise.all(runs.map(({ opened }) => opened));
  } catch (error) {
    await end(members);
    throw error;
  }
  for (const [index, member] of members.entries()) {
    member.send({ type: 'go', process: index + 1, plan, inspect });
  }
  const finished = finish();
  finished.catch(() => undefined);
  return {
    pids: members.map(({ pid }) => pid),
    history: finished,
    stop: () => {
      for (const member of members) member.send({ type: 'stop' });
      return finished;
    },
    issued: (count) =>
      new Promise((reached, missed) => {
        milestones.add({ at: ids + count, reached });
        finished.then(() => missed(new Error(`the recording ended before ${count} more ids`)), missed);
      }),
    kill: (number, signal) => {
      const member = members[number - 1];
      if (member === undefined) throw new RangeError(`no process ${number}, there are ${members.length}`);
      if (signal === 'SIGKILL' || signal === 'SIGTERM') killed.add(member);
      member.kill(signal);
    },
    noted: (event) => events.get(event) ?? 0,
    [Symbol.asyncDispose]: async () => {
      for (const member of members) {
        killed.add(member);
        member.kill('SIGKILL');
      }
      await Promise.all(members.map(({ ended }) => ended));
    },
  };
}

/** Milliseconds that a member has to end by itself after it was released. */
const RELEASE_WITHIN_MS = 2_000;

async function end(members: readonly Member[]): Promise<void> {
  await Promise.all(
    members.map(async (member) => {
      // This also ends members that are stopped by a signal or hang in a busy loop.
      const timer = setTimeout(() => member.kill('SIGKILL'), RELEASE_WITHIN_MS);
      member.release();
      await member.ended;
      clearTimeout(timer);
    }),
  );
}

/** A promise with its `resolve` and `reject`. A rejection that nobody awaits does not count as unhandled. */
interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

function deferred<T>(): Deferred<T> {
  let resolve: Deferred<T>['resolve'] = () => undefined;
  let reject: Deferred<T>['reject'] = () => undefined;
  const promise = new Promise<T>((onValue, onReason) => {
    resolve = onValue;
    reject = onReason;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
