import { IdError } from '@ids/core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { LAST_ID } from '../src/index.js';
import { tooSlow } from '../src/segment-supply.js';
import { bufferOver } from './buffer-support.js';
import { ScriptedSource } from './scripted-source.js';

/** A clock that the test moves; timers go on as ever. */
function movableClock(): (ms: number) => void {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  onTestFinished(() => void vi.useRealTimers());
  return (ms) => vi.advanceTimersByTime(ms);
}

it('says for how many seconds the ids in memory last at the present rate, also while the source is down', async () => {
  const pass = movableClock();
  const source = new ScriptedSource();
  const { buffer } = bufferOver(source, { step: 1_000 });
  const ready = buffer.ready();
  (await source.asked()).answer();
  await ready;
  expect(buffer.health()).not.toHaveProperty('secondsLeft');
  buffer.nextBatchSync(200);
  pass(2_000);
  expect(buffer.health()).toMatchObject({ status: 'ok', remaining: 800, secondsLeft: 8 });
  buffer.nextBatchSync(400);
  pass(2_000);
  (await source.asked()).refuse(new IdError('ERR_IDS_UNAVAILABLE', 'connection refused'));
  await source.asked();
  expect(buffer.health()).toMatchObject({ status: 'degraded', remaining: 400, secondsLeft: 400 / 150 });
  pass(60_000);
  buffer.health();
  pass(11_000);
  expect(buffer.health()).not.toHaveProperty('secondsLeft');
});

it('says when the range of ids will end at the rate of all processes', async () => {
  const pass = movableClock();
  const source = new ScriptedSource();
  source.maxId = LAST_ID - 86_400_000;
  const { buffer } = bufferOver(source, { step: 10 });
  source.answerAll();
  await buffer.next();
  expect(buffer.health()).not.toHaveProperty('exhaustedAt');
  // A thousand ids in a second, nearly all of them by others.
  pass(1_000);
  source.maxId += 990;
  buffer.nextBatchSync(9);
  await buffer.ready();
  await buffer.nextBatch(2);
  const { exhaustedAt } = buffer.health();
  const hours = ((exhaustedAt?.getTime() ?? 0) - Date.now()) / 3_600_000;
  expect(hours).toBeCloseTo(24, 1);
});

it('is down while calls get no id, though the source has neither failed nor answered', async () => {
  const pass = movableClock();
  const source = new ScriptedSource();
  const { buffer } = bufferOver(source);
  const waiting = buffer.nextBatch(2);
  const call = await source.asked();
  pass(999);
  expect(buffer.health()).toEqual({ status: 'not-ready', remaining: 0 });
  pass(1);
  const lastError = {
    code: 'ERR_IDS_TIMEOUT',
    message: tooSlow().message,
    at: new Date(Date.now() - 1_000),
  };
  expect(buffer.health()).toEqual({ status: 'down', remaining: 0, lastError });
  // One id is too few for whoever waits.
  call.answerWith({ low: 1, high: 1 });
  await source.asked();
  expect(buffer.health()).toMatchObject({ status: 'degraded', remaining: 1 });
  (await source.asked()).answerWith({ low: 2, high: 11 });
  expect(await waiting).toEqual([1, 2]);
  expect(buffer.health()).toMatchObject({ status: 'ok', remaining: 9 });
});

it('is ok when whoever waited has given up', async () => {
  const pass = movableClock();
  const source = new ScriptedSource();
  const { buffer } = bufferOver(source);
  const controller = new AbortController();
  const waiting = buffer.next({ signal: controller.signal });
  pass(5_000);
  expect(buffer.health()).toMatchObject({ status: 'down' });
  controller.abort(new Error('too late'));
  await expect(waiting).rejects.toThrow('too late');
  expect(buffer.health()).toEqual({ status: 'not-ready', remaining: 0 });
});
