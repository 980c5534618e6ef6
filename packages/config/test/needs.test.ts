import type { Guarantees } from '@ids/core';
import { describe, expect, it } from 'vitest';
import { unmetNeeds } from '../src/needs.js';
import { local } from './support.js';

const { text: _, ...offered } = local.guarantees({});

function offer(change: Partial<Guarantees> = {}): Omit<Guarantees, 'text'> {
  return { ...offered, ...change };
}

describe('the ids that may be lost', () => {
  it.each([
    [100, 100],
    [100, 101],
    [0, 0],
  ])('meet a need when %d are offered and %d may be', (lost, maxIdsLost) => {
    expect(unmetNeeds({ maxIdsLost }, offer({ maxIdsLost: lost }))).toEqual([]);
  });

  it.each([
    [101, 100],
    [1, 0],
  ])('are too many when %d are offered and %d may be', (lost, maxIdsLost) => {
    expect(unmetNeeds({ maxIdsLost }, offer({ maxIdsLost: lost }))).toEqual([
      `ids lost in a crash: needs at most ${maxIdsLost}, offers at most ${lost}`,
    ]);
  });
});

describe('what ids may disclose', () => {
  const disclosing = offer({ discloses: ['time', 'volume'] });

  it('meets a need when all of it is in the list', () => {
    expect(unmetNeeds({ discloses: ['volume', 'time', 'host'] }, disclosing)).toEqual([]);
    expect(unmetNeeds({ discloses: [] }, offer({ discloses: [] }))).toEqual([]);
  });

  it('is too much when some of it is not', () => {
    expect(unmetNeeds({ discloses: ['time', 'host'] }, disclosing)).toEqual([
      'disclosure: needs at most time and host, offers time and volume',
    ]);
    expect(unmetNeeds({ discloses: [] }, disclosing)).toEqual([
      'disclosure: needs none, offers time and volume',
    ]);
  });
});

describe('uniqueness', () => {
  it('within a process is not enough for a cluster', () => {
    expect(unmetNeeds({ unique: 'cluster' }, offer({ unique: 'process' }))).toEqual([
      'uniqueness: needs cluster, offers process',
    ]);
    expect(unmetNeeds({ unique: 'process' }, offer({ unique: 'cluster' }))).toEqual([]);
  });
});
