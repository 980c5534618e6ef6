import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { createObjectIdGenerator, decodeObjectId, lowerBound } from '../src/index.js';
import { cellsAt, issuerAt } from './support/issuer-at.js';

describe('for bson, our ids', () => {
  it('are ObjectIds with the same time, whenever they are issued', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 * 1_000 - 1 }), fc.nat(2 ** 24 - 1), (ms, counter) => {
        const { clock, issuer } = issuerAt({ cells: cellsAt(0, counter) });
        clock.ms = ms;
        const id = issuer.issue(1);
        const parsed = ObjectId.createFromHexString(id);
        expect(parsed.toHexString()).toBe(id);
        expect(parsed.getTimestamp()).toEqual(decodeObjectId(id).date);
        expect(parsed.getTimestamp().getTime()).toBe(ms - (ms % 1_000));
      }),
    );
  });

  it('sort as their bytes do', () => {
    const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 24, maxLength: 24 });
    fc.assert(
      fc.property(hex, hex, (a, b) => {
        const bytes = Buffer.compare(new ObjectId(a).id, new ObjectId(b).id);
        expect(a < b ? -1 : a > b ? 1 : 0).toBe(bytes);
      }),
    );
    const issued = createObjectIdGenerator().nextBatchSync(10_000);
    const sorted = issued
      .map((id) => new ObjectId(id))
      .reverse()
      .sort((a, b) => Buffer.compare(a.id, b.id));
    expect(sorted.map((id) => id.toHexString())).toEqual(issued);
  });

  it('are bounded as by its createFromTime', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 32 - 1), (seconds) => {
        expect(lowerBound(new Date(seconds * 1_000))).toBe(ObjectId.createFromTime(seconds).toHexString());
      }),
    );
  });
});
