import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import {
  checkHistory,
  compiledModule,
  monotonicNow,
  type RecordOptions,
  recordProcesses,
  startProcesses,
} from '../../src/index.js';
import { startTicketServer } from '../references/ticket-server.js';
import type { OddContext } from './odd-generators.js';

const server = await startTicketServer();
afterAll(() => server.close());

function options(context: OddContext, plan: Partial<RecordOptions>): RecordOptions {
  const module = new URL('./odd-generators.ts', import.meta.url);
  return { module, context, processes: 2, callers: 3, ...plan };
}

const tickets = (name: string): OddContext => ({ odd: 'tickets', port: server.port, name });

describe('a recording of processes', () => {
  it('holds every id of every call, with times that fit between its start and its end', async () => {
    const before = monotonicNow();
    const { records, failures, unsettled } = await recordProcesses(
      options(tickets('all'), { perCaller: 20, batch: 5 }),
    );
    const after = monotonicNow();
    const ids = records.flatMap((record) => record.ids).map(Number);
    expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 2 * 3 * 20 * 5 }, (_, n) => n + 1));
    expect([failures, unsettled]).toEqual([[], []]);
    for (const { invoke, complete } of records) {
      expect(before).toBeLessThan(invoke);
      expect(invoke).toBeLessThan(complete);
      expect(complete).toBeLessThan(after);
    }
  });

  it('numbers the calls of each process in the order in which they were made', async () => {
    const { records } = await recordProcesses(options(tickets('numbered'), { perCaller: 30 }));
    for (const process of [1, 2]) {
      const calls = records.filter((record) => record.process === process).sort((a, b) => a.call - b.call);
      expect(calls.map(({ call }) => call)).toEqual(Array.from({ length: 90 }, (_, n) => n + 1));
      const invokes = calls.map(({ invoke }) => invoke);
      expect(invokes).toEqual(invokes.toSorted((a, b) => a - b));
    }
  });

  it('goes on until it is stopped, and tells when more ids have been given', async () => {
    const recording = await startProcesses(options(tickets('stopped'), { pauseMs: 1 }));
    await recording.issued(50);
    await recording.issued(50);
    const history = await recording.stop();
    expect(history.records.length).toBeGreaterThanOrEqual(100);
    expect(checkHistory(history, { levels: ['unique', 'fifo', 'real-time'] }).messages).toEqual([]);
    await expect(recording.issued(1)).rejects.toThrow('the recording ended before 1 more ids');
  });

  it('counts what its processes note', async () => {
    const recording = await startProcesses(options({ odd: 'noting' }, { perCaller: 10 }));
    const { records } = await recording.history;
    expect(records).toHaveLength(2 * 3 * 10);
    expect([recording.noted('call'), recording.noted('other')]).toEqual([60, 0]);
  });

  it('can be told how long to go on', async () => {
    const { records } = await recordProcesses(options(tickets('timed'), { durationMs: 100, pauseMs: 5 }));
    expect(records).not.toHaveLength(0);
  });

  it('must be told how to end when it runs to its end', async () => {
    await expect(recordProcesses(options(tickets('endless'), {}))).rejects.toThrow(TypeError);
  });

  it('survives a process that is killed and keeps what it had recorded', async () => {
    const recording = await startProcesses(options(tickets('killed'), { pauseMs: 1 }));
    await recording.issued(100);
    recording.kill(1, 'SIGKILL');
    await recording.issued(100);
    const { records } = await recording.stop();
    for (const process of [1, 2]) {
      expect(records.filter((record) => record.process === process)).not.toHaveLength(0);
    }
    expect(() => recording.kill(3, 'SIGKILL')).toThrow('no process 3, there are 2');
  });

  it('goes on after a process was stopped and continued', async () => {
    const recording = await startProcesses(options(tickets('continued'), { pauseMs: 1 }));
    await recording.issued(20);
    recording.kill(1, 'SIGSTOP');
    await recording.issued(20);
    recording.kill(1, 'SIGCONT');
    const { unsettled } = await recording.stop();
    expect(unsettled).toEqual([]);
  });

  it('records calls that fail, with their codes, when it tolerates errors', async () => {
    const { records, failures } = await recordProcesses(
      options({ odd: 'unreliable' }, { processes: 1, perCaller: 10, tolerateErrors: true }),
    );
    expect(records).toHaveLength(27);
    expect(failures).toMatchObject([
      { process: 1, call: 3, code: 'ERR_IDS_UNAVAILABLE', message: 'call 3 met a dead backend' },
      { process: 1, call: 13, code: 'ERR_IDS_UNAVAILABLE' },
      { process: 1, call: 23, code: 'ERR_IDS_UNAVAILABLE' },
    ]);
  });

  it('records calls that never settle, and ends all the same', async () => {
    const history = await recordProcesses(
      options({ odd: 'silent' }, { processes: 1, perCaller: 10, settleWithinMs: 200 }),
    );
    expect(history.unsettled).toMatchObject([{ process: 1, call: 5 }]);
    expect(checkHistory(history, { levels: [] }).counts.settled).toBe(1);
  });
});

describe('a recording of processes fails with the stack of the child', () => {
  it.each([
    [
      'whose call failed',
      'unreliable',
      /process [12] failed: IdError: call 3 met a dead backend\n.*odd-generators\.ts:/,
    ],
    [
      'that could not open',
      'brokenOpen',
      /process [12] failed: Error: the door is jammed\n.*odd-generators\.ts:/,
    ],
    [
      'that threw in the background',
      'careless',
      /failed: Error: thrown in the background\n.*odd-generators\.ts:/,
    ],
    ['whose close hung', 'clinging', /failed: Error: close\(\) did not settle within 300 ms/],
    ['that ended too early', 'leaving', /process [12] ended with code 7 before its work was done/],
  ] as const)('%s', async (_, odd, message) => {
    const run = recordProcesses(options({ odd }, { perCaller: 50, settleWithinMs: 300 }));
    await expect(run).rejects.toThrow(message);
  });

  it('whose module has no open()', async () => {
    const module = new URL('../references/deep-freeze.ts', import.meta.url);
    const run = recordProcesses({ ...options(tickets('none'), { perCaller: 1 }), module });
    await expect(run).rejects.toThrow('must have a named export open(context), found: deepFreeze');
  });
});

describe('the processes of a recording', () => {
  it('have ended when its history is there', async () => {
    const recording = await startProcesses(options(tickets('ended'), {}));
    expect(await Promise.all(recording.pids.map(isRunning))).toEqual([true, true]);
    await recording.stop();
    expect(await Promise.all(recording.pids.map(isRunning))).toEqual([false, false]);
  });

  it('have ended when it is disposed of, also one that a signal holds up', async () => {
    const recording = await startProcesses(options(tickets('disposed'), { pauseMs: 1 }));
    recording.kill(1, 'SIGSTOP');
    await recording[Symbol.asyncDispose]();
    expect(await Promise.all(recording.pids.map(isRunning))).toEqual([false, false]);
    await recording[Symbol.asyncDispose]();
  });

  it('have ended when one of them has failed, also one that a signal holds up', async () => {
    const recording = await startProcesses(options(tickets('failed'), { pauseMs: 1 }));
    recording.kill(1, 'SIGSTOP');
    recording.kill(2, 'SIGINT');
    await expect(recording.history).rejects.toThrow('process 2 ended with SIGINT before its work was done');
    expect(await Promise.all(recording.pids.map(isRunning))).toEqual([false, false]);
  });

  it('end with their parent, however it ends', async () => {
    const parent = fork(await compiledModule(new URL('./orphans.ts', import.meta.url)));
    const [pids] = (await once(parent, 'message')) as [number[]];
    expect(await Promise.all(pids.map(isRunning))).toEqual([true, true]);
    parent.kill('SIGKILL');
    // Nobody but a parent is told of an end: it can only be looked for. The runner's
    // time limit bounds the wait.
    for (const pid of pids) while (await isRunning(pid)) await pause(10);
  });
});

async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // In a container without an init, an orphan that has ended stays in the table of processes as a zombie.
  return !/\) Z /.test(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''));
}
