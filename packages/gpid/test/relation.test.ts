import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Gpid, type Relation, relationOf } from '../src/index.js';
import { anyGpid } from './support/any-gpid.js';

const bare = '10.0.0.7:8888:1307761900123456:4711';
const host = ';boot=2132d8db778144df;ticks=1123586;pidns=4026531836';
const run = ';run=8f14e45fceea167a';
const otherRun = ';run=c9f0f895fb98ab91';
const loopback = (text: string) => text.replace('10.0.0.7', '127.0.0.1');

const cases: readonly (readonly [why: string, a: string, b: string, relation: Relation])[] = [
  ['a reconnect to the same process', bare + host + run, bare + host + run, 'same'],
  ['an id, whose evidence is short, and its process', bare + run, bare + host + run, 'same'],
  ['two bare four-tuples that are equal', bare, bare, 'same'],
  ['a bare four-tuple and the process with evidence', bare, bare + host + run, 'same'],
  ['a restart with another pid', bare, bare.replace('4711', '4712'), 'restarted'],
  ['a restart after a clock step back', bare, bare.replace('1307', '1306'), 'restarted'],
  [
    'pid 1 in a container that was started again in the same microsecond of a clock stepped back',
    bare + host + run,
    bare + host.replace('4026531836', '4026532999') + otherRun,
    'restarted',
  ],
  [
    'the same, in a pid namespace of the same number',
    bare + host + run,
    bare + host.replace('1123586', '1123999') + otherRun,
    'restarted',
  ],
  ['equal four-tuples of another boot', bare + host, bare + host.replace('boot=2', 'boot=3'), 'restarted'],
  [
    'equal four-tuples of another pid namespace',
    bare + host,
    bare + host.replace('4026531836', '4026532999'),
    'restarted',
  ],
  ['equal four-tuples with other ticks', bare + host, bare + host.replace('1123586', '1123999'), 'restarted'],
  [
    'a process of another boot that agrees in all else',
    bare + host + run,
    bare + host.replace('boot=2', 'boot=3') + otherRun,
    'restarted',
  ],
  [
    'a process that replaced itself by exec, or was cloned',
    bare + host + run,
    bare + host + otherRun,
    'restarted',
  ],
  ['another port', bare, bare.replace('8888', '8889'), 'different'],
  ['another address', bare + run, bare.replace('10.0.0.7', '10.0.0.8') + run, 'different'],
  ['two threads of one process', `${bare};thread=3${run}`, `${bare};thread=4${otherRun}`, 'different'],
  ['a thread and the main thread', `${bare};thread=3${run}`, bare + otherRun, 'different'],
  [
    'two workers of one primary',
    `${bare}${host};worker=1@5${run}`,
    `${bare.replace('4711', '4712')}${host.replace('1123586', '1123588')};worker=2@5${otherRun}`,
    'different',
  ],
  [
    'a worker of the primary that came after',
    `${bare}${host};worker=1@5${run}`,
    `${bare.replace('4711', '4712')}${host.replace('1123586', '1123588')};worker=2@9${otherRun}`,
    'restarted',
  ],
  [
    'workers of primaries with equal ticks, in two containers',
    `${bare}${host};worker=1@5${run}`,
    `${bare.replace('4711', '4712')}${host.replace('4026531836', '4026532999')};worker=2@5${otherRun}`,
    'restarted',
  ],
  ['two processes that listen on no port', '10.0.0.7:0:1:1', '10.0.0.7:0:1:2', 'different'],
  ['a thread and a bare four-tuple, which may mean any of them', `${bare};thread=3${run}`, bare, 'unknown'],
  [
    'loopback addresses of who knows which machines',
    loopback(bare),
    loopback('10.0.0.7:8888:1:1'),
    'unknown',
  ],
  [
    'loopback addresses under two boot ids',
    loopback(bare + host),
    loopback(`10.0.0.7:8888:1:1${host.replace('boot=2', 'boot=3')}`),
    'unknown',
  ],
  [
    'loopback addresses of one machine',
    loopback(bare + host),
    loopback(`10.0.0.7:8888:1:1${host}`),
    'restarted',
  ],
  [
    'evidence that contradicts itself',
    bare + host + run,
    bare + host.replace('1123586', '9') + run,
    'unknown',
  ],
  ['one run in two threads', `${bare};thread=3${run}`, `${bare};thread=4${run}`, 'unknown'],
];

describe('relationOf', () => {
  it.each(cases)('knows %s', (_, a, b, relation) => {
    expect(relationOf(Gpid.parse(a), Gpid.parse(b))).toBe(relation);
  });

  it('says the same in both directions', () => {
    for (const [, a, b] of cases) {
      expect(relationOf(Gpid.parse(b), Gpid.parse(a))).toBe(relationOf(Gpid.parse(a), Gpid.parse(b)));
    }
    fc.assert(fc.property(anyGpid, anyGpid, (a, b) => relationOf(a, b) === relationOf(b, a)));
  });

  it('knows every gpid as its own', () => {
    fc.assert(fc.property(anyGpid, (gpid) => relationOf(gpid, Gpid.parse(String(gpid))) === 'same'));
  });
});
