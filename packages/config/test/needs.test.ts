import type { Guarantees } from '@ids/core';
import { describe, expect, it } from 'vitest';
import { unmetNeeds } from '../src/needs.js';
import { local } from './support.js';

const offered = local.guarantees({});

function offer(change: Partial<Guarantees> = {}): Guarantees {
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
    expect(unmetNeeds({ maxIdsLost }, offer({ maxIdsLost: lost }))).toHaveLength(1);
  });
});

describe('the length of an id', () => {
  it('is met by all that are as long or shorter', () => {
    const text = { ...offered.text, maxLength: 24 };
    expect(unmetNeeds({ maxLength: 24 }, offer({ text }))).toEqual([]);
    expect(unmetNeeds({ maxLength: 23 }, offer({ text }))).toHaveLength(1);
  });
});

describe('a column of type uuid', () => {
  const text = {
    pattern: /^[0-9a-f-]{36}$/,
    alphabet: '0123456789abcdef-',
    minLength: 36,
    maxLength: 36,
    sortable: true,
  };

  it('holds UUIDs and no other string', () => {
    expect(unmetNeeds({ type: 'uuid' }, offer({ idType: 'string', text }))).toEqual([]);
    const short = { ...text, minLength: 35 };
    expect(unmetNeeds({ type: 'uuid' }, offer({ idType: 'string', text: short }))).toHaveLength(1);
  });
});

describe('what ids must reveal', () => {
  it('is all that is needed', () => {
    const traced = offer({ discloses: ['time', 'process'] });
    expect(unmetNeeds({ reveals: ['process'] }, traced)).toEqual([]);
    expect(unmetNeeds({ reveals: ['process', 'host'] }, traced)).toHaveLength(1);
    expect(unmetNeeds({ reveals: ['time'] }, offer({ discloses: [] }))).toHaveLength(1);
  });
});

describe('what ids may disclose', () => {
  const disclosing = offer({ discloses: ['time', 'volume'] });

  it('meets a need when all of it is in the list', () => {
    expect(unmetNeeds({ discloses: ['volume', 'time', 'host'] }, disclosing)).toEqual([]);
    expect(unmetNeeds({ discloses: [] }, offer({ discloses: [] }))).toEqual([]);
  });

  it('is too much when some of it is not', () => {
    expect(unmetNeeds({ discloses: ['time', 'host'] }, disclosing)).toHaveLength(1);
    expect(unmetNeeds({ discloses: [] }, disclosing)).toHaveLength(1);
  });
});

describe('uniqueness', () => {
  it('within a process is not enough for a cluster', () => {
    expect(unmetNeeds({ unique: 'cluster' }, offer({ unique: 'process' }))).toHaveLength(1);
    expect(unmetNeeds({ unique: 'process' }, offer({ unique: 'cluster' }))).toEqual([]);
  });
});
