import { emptyHistory, type History, moveHistory } from '../history/history.js';
import type { CallPlan } from '../history/record-calls.js';
import { deferred, type FromMember } from './member-protocol.js';
import type { Member } from './start-member.js';

/**
 * A run under way, one generator per process. Whoever started it awaits `history`, calls
 * `stop` or disposes of it.
 */
export interface Recording extends AsyncDisposable {
  /** The operating system's process ids; index 0 is process 1 of the history. */
  readonly pids: readonly number[];
  /**
   * The merged history, once every process has made its calls or was stopped or killed, and has closed its
   * generator. Rejects with the stack of the child when one fails: the others are ended then.
   */
  readonly history: Promise<History>;
  /** Lets calls under way settle, closes the generators and returns the history. */
  stop(): Promise<History>;
  /**
   * Resolves once `count` more ids have been recorded, counted from now; rejects when the run ends before.
   */
  issued(count: number): Promise<void>;
  /**
   * Sends a signal to a process, numbered from 1. One that is killed is expected to end; calls it had under
   * way, and those of its last 20 ms or so, are missing in the history.
   */
  kill(process: number, signal: NodeJS.Signals): void;
  /**
   * How often the modules of all processes have called `note(event)` so far, as far as they
   * have reported: every 20 ms.
   */
  noted(event: string): number;
  /** Kills processes that still run, as when a test fails half-way. No effect after the end. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Opens a generator in each member and sets them going together. */
export async function startRecording(
  members: readonly Member[],
  { module, context, plan }: { module: URL; context: unknown; plan: CallPlan },
): Promise<Recording> {
  const history = emptyHistory();
  const events = new Map<string, number>();
  const killed = new Set<Member>();
  const milestones = new Set<{ readonly at: number; reached(): void }>();
  let ids = 0;

  const runs = members.map((member, index) => {
    const opened = deferred<void>();
    const done = deferred<void>();
    const fail = (error: Error): void => {
      opened.reject(error);
      done.reject(error);
    };
    member.onMessage((message: FromMember) => {
      if (message.type === 'opened') opened.resolve();
      if (message.type === 'done') done.resolve();
      if (message.type === 'error') fail(new Error(`process ${index + 1} failed: ${message.stack}`));
      if (message.type === 'part') {
        for (const event of message.noted) events.set(event, (events.get(event) ?? 0) + 1);
        take(message.history);
      }
    });
    void member.ended.then((how) => {
      if (killed.has(member)) done.resolve();
      else fail(new Error(`process ${index + 1} ${how} before its work was done`));
    });
    member.send({ type: 'open', module: module.href, context });
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
  for (const [index, member] of members.entries()) member.send({ type: 'go', process: index + 1, plan });
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

/** Milliseconds that a member has to end by itself once it was let go. */
const RELEASE_WITHIN_MS = 2_000;

async function end(members: readonly Member[]): Promise<void> {
  await Promise.all(
    members.map(async (member) => {
      // Ends those that are stopped by a signal or hang in a busy loop too.
      const timer = setTimeout(() => member.kill('SIGKILL'), RELEASE_WITHIN_MS);
      member.release();
      await member.ended;
      clearTimeout(timer);
    }),
  );
}
