import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Gpid, PeerTracker, relationOf } from '../src/index.js';

const peer = (pid: number, { ip = '10.0.0.7', port = 8888, evidence = '' } = {}) =>
  Gpid.parse(`${ip}:${port}:1307761900123456:${pid}${evidence}`);
const HOST = ';boot=2132d8db778144df';
const started = (ticks: number, { boot = HOST, pidns = 4026531836, run = '' } = {}) =>
  peer(ticks, { evidence: `${boot};ticks=${ticks};pidns=${pidns}${run}` });
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

  it('takes no late word of an older process for a restart, and goes on with the younger one', () => {
    const [older, live, next] = [started(10), started(20), started(30)];
    const tracker = new PeerTracker();
    expect(tracker.observe(live).relation).toBe('first');
    expect(tracker.observe(older)).toEqual({ relation: 'same', gpid: older, successor: live });
    expect(tracker.observe(live)).toEqual({ relation: 'same', gpid: live });
    expect(tracker.observe(next)).toEqual({ relation: 'restarted', gpid: next, predecessor: live });
    expect(tracker.observe(started(15))).toMatchObject({ relation: 'same', successor: next });
    expect(tracker.observe(next)).toEqual({ relation: 'same', gpid: next });
    expect(tracker.observe(live)).toEqual({ relation: 'same', gpid: live, successor: next });
  });

  it('knows the younger process whatever the order of all words', () => {
    const anyWords = fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(anyWords, (words) => {
        const tracker = new PeerTracker();
        let youngest = -1;
        for (const ticks of words) {
          const expected =
            ticks > youngest ? (youngest < 0 ? 'first' : 'restarted') : ticks === youngest ? 'same' : 'late';
          const seen = tracker.observe(started(ticks));
          youngest = Math.max(youngest, ticks);
          expect('successor' in seen ? 'late' : seen.relation).toBe(expected);
        }
      }),
    );
  });

  it('tells workers of an older primary by the start of that', () => {
    const later = (id: number) => Gpid.parse(String(worker(id)).replace('@5', '@9'));
    const tracker = new PeerTracker();
    for (const live of [later(3), later(4)]) expect(tracker.observe(live).relation).toBe('first');
    expect(tracker.observe(worker(1))).toMatchObject({ relation: 'same', successor: later(4) });
    for (const live of [later(3), later(4)]) {
      expect(tracker.observe(live)).toEqual({ relation: 'same', gpid: live });
    }
  });

  it('sounds the alarm when only a wall clock says that a process is older, and holds the other for alive', () => {
    const [live, doubtful] = [peer(2), Gpid.parse('10.0.0.7:8888:1307761900000000:1')];
    const tracker = new PeerTracker();
    tracker.observe(live);
    expect(tracker.observe(doubtful)).toEqual({
      relation: 'restarted',
      gpid: doubtful,
      predecessor: live,
    });
    expect(tracker.observe(live)).toEqual({ relation: 'same', gpid: live });
    expect(tracker.observe(doubtful)).toEqual({ relation: 'same', gpid: doubtful });
  });

  it.each([
    ['another boot', { boot: ';boot=aaaaaaaaaaaaaaaa' }],
    ['another pid namespace', { pidns: 4026532999 }],
  ])('takes a process of %s at the same endpoint for no restart, and tracks both', (_, host) => {
    const tracker = new PeerTracker();
    const [one, other] = [started(10), started(20, host)];
    expect(tracker.observe(one)).toEqual({ relation: 'first', gpid: one });
    expect(tracker.observe(other)).toEqual({ relation: 'first', gpid: other });
    for (const gpid of [one, other]) expect(tracker.observe(gpid)).toEqual({ relation: 'same', gpid });
    const next = started(30);
    expect(tracker.observe(next)).toEqual({ relation: 'restarted', gpid: next, predecessor: one });
    expect(tracker.observe(other)).toEqual({ relation: 'same', gpid: other });
  });

  it('takes for no restart what the evidence does not tell', () => {
    const loopback = (pid: number) => peer(pid, { ip: '127.0.0.1' });
    const thread = peer(1, { evidence: ';thread=3;run=8f14e45fceea167a' });
    for (const [a, b] of [
      [loopback(1), loopback(2)],
      [peer(1), thread],
    ] as const) {
      expect(relationOf(a, b)).toBe('unknown');
      const tracker = new PeerTracker();
      for (const gpid of [a, b]) expect(tracker.observe(gpid)).toEqual({ relation: 'first', gpid });
      for (const gpid of [a, b]) expect(tracker.observe(gpid)).toEqual({ relation: 'same', gpid });
    }
  });

  it('knows a process by any part of its evidence', () => {
    const run = ';run=8f14e45fceea167a';
    const full = started(10, { run });
    const forms = [full, peer(10, { evidence: run }), Gpid.parse(full.fourTuple)];
    for (const shown of [forms, [...forms].reverse()]) {
      const tracker = new PeerTracker();
      expect(shown.map((gpid) => tracker.observe(gpid).relation)).toEqual(['first', 'same', 'same']);
      expect(tracker.observe(started(20))).toMatchObject({ relation: 'restarted' });
      for (const gpid of shown) expect(tracker.observe(gpid)).toMatchObject({ successor: started(20) });
    }
  });

  it('knows that a process which replaced itself has lost all its threads', () => {
    const run = (digit: string, thread = '') => peer(1, { evidence: `${thread};run=${digit.repeat(16)}` });
    const tracker = new PeerTracker();
    const [main, thread, after] = [run('a'), run('b', ';thread=3'), run('c')];
    expect([main, thread].map((gpid) => tracker.observe(gpid).relation)).toEqual(['first', 'first']);
    expect(tracker.observe(after)).toMatchObject({ relation: 'restarted' });
    for (const gpid of [main, thread]) {
      expect(tracker.observe(gpid)).toEqual({ relation: 'same', gpid, successor: after });
    }
  });

  it('looks at nobody to know one again, and at 64 at most to know a new one', () => {
    for (const known of [worker, peer, (id: number) => started(id)]) {
      const looked = new Set<Gpid>();
      const watched = (gpid: Gpid) =>
        new Proxy(gpid, {
          get(target, key) {
            if (key === 'evidence') looked.add(target);
            const value = Reflect.get(target, key, target);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        });
      const tracker = new PeerTracker();
      for (let id = 1; id <= 200; id++) tracker.observe(watched(known(id)));
      looked.clear();
      for (let id = 137; id <= 200; id++) expect(tracker.observe(known(id)).relation).toBe('same');
      expect(looked.size).toBe(0);
      tracker.observe(known(201));
      expect(looked.size).toBe(64);
    }
  });

  it('keeps endpoints apart', () => {
    const tracker = new PeerTracker();
    for (const place of [{}, { port: 8889 }, { ip: '10.0.0.8' }]) {
      expect(tracker.observe(peer(1, place)).relation).toBe('first');
    }
    expect(tracker.size).toBe(3);
  });

  it.each([
    ['boots', HOST, ';boot=aaaaaaaaaaaaaaaa'],
    ['pid namespaces', ';pidns=4026531836', ';pidns=4026532999'],
  ])('takes processes of two %s for no restart, also where nothing else is known', (_, one, other) => {
    const tracker = new PeerTracker();
    expect(tracker.observe(peer(1, { evidence: one })).relation).toBe('first');
    expect(tracker.observe(peer(2, { evidence: other })).relation).toBe('first');
  });

  it.each([HOST, ';pidns=4026531836'])('knows a restart where the first one showed %s only', (evidence) => {
    const tracker = new PeerTracker();
    const old = peer(1, { evidence });
    tracker.observe(old);
    expect(tracker.observe(started(20))).toMatchObject({ relation: 'restarted', predecessor: old });
  });

  it('takes no process for another that agrees with it in the run only', () => {
    const tracker = new PeerTracker();
    const run = ';run=8f14e45fceea167a';
    expect(tracker.observe(peer(1, { evidence: HOST + run })).relation).toBe('first');
    const other = peer(1, { evidence: `;boot=aaaaaaaaaaaaaaaa${run}` });
    expect(tracker.observe(other).relation).toBe('first');
  });

  it('names the one that lives as predecessor, not one that was replaced before', () => {
    const tracker = new PeerTracker();
    const [old, next, last] = [started(10), peer(99), started(30)];
    for (const gpid of [old, next]) tracker.observe(gpid);
    expect(tracker.observe(last)).toMatchObject({ relation: 'restarted', predecessor: next });
  });

  it('knows a thread of a process by another one after it forgot the first', () => {
    const tracker = new PeerTracker();
    const thread = (id: number) => peer(1, { evidence: `;thread=${id};run=${`${id}`.repeat(16)}` });
    for (const id of [1, 2]) tracker.observe(thread(id));
    for (let pid = 2; pid <= 64; pid++) tracker.observe(peer(pid));
    expect(tracker.observe(thread(3))).toMatchObject({ relation: 'same', successor: peer(2) });
  });

  it('takes the later heard of two that started in one tick for the successor', () => {
    const tracker = new PeerTracker();
    const [one, other] = [started(10), Gpid.parse(String(started(10)).replace(':10;', ':11;'))];
    tracker.observe(one);
    expect(tracker.observe(other)).toEqual({ relation: 'restarted', gpid: other, predecessor: one });
  });

  it('knows by the ticks that a process is younger whose wall clock was set back', () => {
    const tracker = new PeerTracker();
    const old = started(10);
    const young = Gpid.parse(String(started(20)).replace(':1307761900123456:', ':1307761900000000:'));
    tracker.observe(old);
    expect(tracker.observe(young)).toMatchObject({ relation: 'restarted' });
    expect(tracker.observe(old)).toEqual({ relation: 'same', gpid: old, successor: young });
  });

  it('compares no ticks that may count from two boots', () => {
    const tracker = new PeerTracker();
    const [one, other] = [20, 10].map((ticks) => peer(ticks, { evidence: `;ticks=${ticks}` })) as [
      Gpid,
      Gpid,
    ];
    tracker.observe(one);
    expect(tracker.observe(other)).toMatchObject({ relation: 'restarted', predecessor: one });
  });

  it.each([
    [`${HOST};ticks=10`, HOST],
    [HOST, `${HOST};ticks=10`],
  ])('goes by the wall clock, with doubt, where one of two shows no ticks: %s and %s', (one, other) => {
    const tracker = new PeerTracker();
    const live = peer(2, { evidence: one });
    const doubtful = Gpid.parse(`10.0.0.7:8888:1307761900000000:1${other}`);
    tracker.observe(live);
    expect(tracker.observe(doubtful)).toMatchObject({ relation: 'restarted', predecessor: live });
    expect(tracker.observe(live)).toEqual({ relation: 'same', gpid: live });
  });

  it('knows a late word of a process that replaced itself, with more evidence than before', () => {
    const tracker = new PeerTracker();
    const run = (digit: string, host = '') => peer(1, { evidence: `${host};run=${digit.repeat(16)}` });
    for (const gpid of [run('a'), run('c')]) tracker.observe(gpid);
    const late = run('a', HOST);
    expect(tracker.observe(late)).toEqual({ relation: 'same', gpid: late, successor: run('c') });
  });

  it('knows the workers of a primary while those of another host are heard of between them', () => {
    const on = (boot: string, id: number) =>
      peer(id, { evidence: `${boot};ticks=${id};pidns=4026531836;worker=${id}@5` });
    const tracker = new PeerTracker();
    for (const gpid of [on(HOST, 11), on(';boot=aaaaaaaaaaaaaaaa', 12), on(HOST, 13)]) {
      expect(tracker.observe(gpid).relation).toBe('first');
    }
    const next = started(30);
    expect(tracker.observe(next)).toMatchObject({ relation: 'restarted' });
    expect(tracker.observe(on(HOST, 11))).toMatchObject({ relation: 'same', successor: next });
  });

  it('has no endpoint for processes that listen on no port', () => {
    const tracker = new PeerTracker();
    for (const pid of [1, 2]) expect(tracker.observe(peer(pid, { port: 0 })).relation).toBe('first');
    expect(tracker.size).toBe(2);
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

  it.each([1, 2 ** 24])('takes %d endpoints', (maxEndpoints) => {
    const tracker = new PeerTracker({ maxEndpoints });
    tracker.observe(peer(1));
    expect(tracker.size).toBe(1);
  });

  it.each([0, 1.5, -1, 2 ** 24 + 1, Number.NaN])('refuses %d endpoints', (maxEndpoints) => {
    expect(() => new PeerTracker({ maxEndpoints })).toThrow(
      `PeerTracker: maxEndpoints must be a whole number from 1 to 16777216, got ${maxEndpoints}`,
    );
  });
});
