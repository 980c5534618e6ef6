import { once } from 'node:events';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { Gpid, PeerTracker } from '../../src/index.js';
import { type Child, startChild } from '../support/children.js';

const RESTARTS = process.env.IDS_FULL === '1' ? 200 : 20;
const script = new URL('../support/server.mjs', import.meta.url).pathname;

async function standBy(): Promise<Child> {
  const child = startChild(process.execPath, [script]);
  expect(await child.line()).toBe('ready');
  return child;
}

async function listen(child: Child, port: string): Promise<string> {
  child.send(port);
  return child.line();
}

async function gpidAt(port: string): Promise<Gpid> {
  const socket = connect(Number(port), '127.0.0.1');
  const said = (await text(socket)).trim();
  if (!socket.closed) await once(socket, 'close');
  return Gpid.parse(said);
}

describe('a server that is killed and started again on its port', () => {
  it(`is known for another process each of ${RESTARTS} times, and for the same at each reconnect`, async () => {
    const tracker = new PeerTracker();
    let server = await standBy();
    const port = await listen(server, '0');
    let gpid = await gpidAt(port);
    expect(tracker.observe(gpid).relation).toBe('first');
    const gaps: number[] = [];
    for (let restart = 1; restart <= RESTARTS; restart++) {
      const successor = await standBy();
      const before = performance.now();
      await server.kill();
      await listen(successor, port);
      const seen = await gpidAt(port);
      gaps.push(performance.now() - before);
      server = successor;

      expect(tracker.observe(seen)).toEqual({ relation: 'restarted', gpid: seen, predecessor: gpid });
      expect(seen.pid).toBe(server.process.pid);
      for (const again of [await gpidAt(port), await gpidAt(port)]) {
        expect(tracker.observe(again)).toEqual({ relation: 'same', gpid: seen });
      }
      gpid = seen;
    }
    await server.kill();
    gaps.sort((a, b) => a - b);
    console.log(
      `from kill -9 to the successor's answer: median ${gaps[RESTARTS / 2]?.toFixed(1)} ms, longest ${gaps.at(-1)?.toFixed(1)} ms`,
    );
  });
});
