// The program of each child process and worker thread of a recording. It ends with its parent.
import { isMainThread, parentPort } from 'node:worker_threads';
import type { IdGenerator, KeyedIdGenerator } from '@ids/core';
import { emptyHistory, type History, moveHistory } from '../history.js';
import { type CallPlan, recordCalls, SETTLE_WITHIN_MS } from '../record-calls.js';
import { openKeyedSubject, openSubject } from '../subject.js';
import { keptBytesPerId, keptBytesPerKey } from './kept-bytes.js';
import type { FromMember, ToMember } from './start-member.js';

/** Milliseconds between two reports: few, so that little is lost when this process is killed. */
const REPORT_EVERY_MS = 20;

const stopped = new AbortController();
let generator: IdGenerator | KeyedIdGenerator | undefined;
const noted: string[] = [];

if (isMainThread) {
  process.on('message', receive);
  process.on('disconnect', () => process.exit());
} else {
  parentPort?.on('message', receive);
}
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);

function receive(message: ToMember): void {
  handle(message).catch(fail);
}

async function handle(message: ToMember): Promise<void> {
  switch (message.type) {
    case 'open':
      generator = await (message.keyed ? openKeyedSubject : openSubject)(
        message.module,
        message.context,
        (event) => void noted.push(event),
      );
      return send({ type: 'opened' });
    case 'go':
      if (generator === undefined) throw new Error('received go before open');
      await record(generator, message.process, message.plan);
      if (!message.inspect) {
        await closeWithin(generator, message.plan.settleWithinMs ?? SETTLE_WITHIN_MS);
        return send({ type: 'done' });
      }
      return inspect(generator);
    case 'stop':
      stopped.abort();
  }
}

async function record(opened: IdGenerator | KeyedIdGenerator, number: number, plan: CallPlan): Promise<void> {
  const history = emptyHistory();
  const reports = setInterval(report, REPORT_EVERY_MS, history);
  try {
    await recordCalls(opened, history, { ...plan, process: number, signal: stopped.signal });
  } finally {
    clearInterval(reports);
    report(history);
  }
}

/** Milliseconds that a process has to end after its generator was closed. */
const END_WITHIN_MS = 2_000;

/** Measures what the generator keeps in memory, closes it, and lets this process end if nothing else runs. */
async function inspect(opened: IdGenerator | KeyedIdGenerator): Promise<void> {
  const keptBytes = await ('of' in opened ? keptBytesPerKey(opened) : keptBytesPerId(opened));
  await closeWithin(opened, SETTLE_WITHIN_MS);
  send({ type: 'done', keptBytes });
  process.channel?.unref();
  const late = setTimeout(() => send({ type: 'kept', by: process.getActiveResourcesInfo() }), END_WITHIN_MS);
  late.unref();
}

function report(history: History): void {
  const part = emptyHistory();
  moveHistory(history, part);
  if (part.records.length + part.failures.length + part.unsettled.length + noted.length > 0) {
    send({ type: 'part', history: part, noted: noted.splice(0) });
  }
}

async function closeWithin(opened: { close(): Promise<void> }, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`close() did not settle within ${ms} ms`)), ms);
  });
  await Promise.race([opened.close(), late]);
  clearTimeout(timer);
}

function send(message: FromMember): void {
  if (isMainThread) process.send?.(message);
  else parentPort?.postMessage(message);
}

function fail(error: unknown): void {
  send({ type: 'error', stack: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}
