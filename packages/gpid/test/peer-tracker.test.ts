import { describe, expect, it } from 'vitest';
import { Gpid, PeerTracker } from '../src/index.js';

const peer = (pid: number, { ip = '10.0.0.7', port = 8888, evidence = '' } = {}) =>
  Gpid.parse(`${ip}:${port}:1307761900123456:${pid}${evidence}`);
const worker = (id: number) => peer(id, { evidence: `;boot=2132d8db778144df;worker=${id}@5` });

describe('PeerTracker', () => {
  it('tells a first sight, a reconnect and a restart apart, and names the predecessor', () => {
    const tracker = new PeerTracker();
    const [old, young] = [peer(1), peer(2)];
    expect(tracker.observe(old)).toEqual({ relation: 'first', gpid: old });
    expect(tracker.observe(old)).toEqual({ relation: 'same', gpid: old });
    expect(tracker.observe(young)).toEqual({ relation: 'restarted', gpid: young, predecessor: old });
    expect(tracker.observe(young)).toEqual({ relation: 'same', gpid: young });
  });

  it('raises no alarm over a late word of a process that was replaced', () => {
    const tracker = new PeerTracker();
    const [old, young] = [peer(1), peer(2)];
    tracker.observe(old);
    tracker.observe(young);
    expect(tracker.observe(old)).toEqual({ relation: 'same', gpid: old, successor: young });
    expect(tracker.observe(young)).toEqual({ relation: 'same', gpid: young });
    expect(tracker.observe(peer(3))).toMatchObject({ relation: 'restarted', predecessor: young });
  });

  it('goes on naming the process that replaced one, whoever came after it', () => {
    const tracker = new PeerTracker();
    const [old, next, last, newest] = [1, 2, 3, 4].map((pid) => peer(pid)) as [Gpid, Gpid, Gpid, Gpid];
    for (const gpid of [old, next, last]) tracker.observe(gpid);
    expect(tracker.observe(old)).toEqual({ relation: 'same', gpid: old, successor: next });
    // It was replaced before, so its late word does not make it the one that is replaced now.
    expect(tracker.observe(newest)).toEqual({ relation: 'restarted', gpid: newest, predecessor: last });
    expect(tracker.observe(old)).toEqual({ relation: 'same', gpid: old, successor: next });
    expect(tracker.observe(last)).toEqual({ relation: 'same', gpid: last, successor: newest });
  });

  it('keeps endpoints apart', () => {
    const tracker = new PeerTracker();
    for (const place of [{}, { port: 8889 }, { ip: '10.0.0.8' }]) {
      expect(tracker.observe(peer(1, place)).relation).toBe('first');
    }
    expect(tracker.size).toBe(3);
  });

  it('knows the cluster workers of one port, and when all of them were replaced', () => {
    const tracker = new PeerTracker();
    expect([1, 2, 1, 2].map((id) => tracker.observe(worker(id)).relation)).toEqual([
      'first',
      'first',
      'same',
      'same',
    ]);
    const next = Gpid.parse(String(worker(3)).replace('@5', '@9'));
    expect(tracker.observe(next)).toMatchObject({ relation: 'restarted', predecessor: worker(2) });
    expect(tracker.observe(worker(1))).toMatchObject({ relation: 'same', successor: next });
  });

  it('forgets the endpoint that was not seen for longest once it knows too many', () => {
    const tracker = new PeerTracker({ maxEndpoints: 2 });
    const [a, b, c] = [1, 2, 3].map((port) => peer(1, { port })) as [Gpid, Gpid, Gpid];
    for (const gpid of [a, b, a, c]) tracker.observe(gpid);
    expect(tracker.size).toBe(2);
    expect(tracker.observe(a).relation).toBe('same');
    expect(tracker.observe(b).relation).toBe('first');
  });

  it('knows 10,000 endpoints unless told otherwise', () => {
    const tracker = new PeerTracker();
    for (let port = 1; port <= 10_001; port++) tracker.observe(peer(1, { port }));
    expect(tracker.size).toBe(10_000);
    expect(tracker.observe(peer(1, { port: 2 })).relation).toBe('same');
    expect(tracker.observe(peer(1, { port: 1 })).relation).toBe('first');
  });

  it('bounds what it keeps of one endpoint, and knows the latest there', () => {
    const tracker = new PeerTracker();
    for (let pid = 1; pid <= 1_000; pid++) tracker.observe(peer(pid));
    expect(tracker.size).toBe(1);
    expect(tracker.observe(peer(1_000)).relation).toBe('same');
    expect(tracker.observe(peer(1))).toMatchObject({ relation: 'restarted' });
  });

  it.each([0, 1.5, -1, 2 ** 24 + 1, Number.NaN])('refuses %d endpoints', (maxEndpoints) => {
    expect(() => new PeerTracker({ maxEndpoints })).toThrow(
      `PeerTracker: maxEndpoints must be a whole number from 1 to 16777216, got ${maxEndpoints}`,
    );
  });
});
