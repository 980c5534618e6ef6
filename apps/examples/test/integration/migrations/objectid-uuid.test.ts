import { parseUuid7 } from '@ids/uuid7';
import { describe, expect, it } from 'vitest';
import { objectIdOfUuid, uuidOfObjectId } from '../../../src/migrations/objectid-uuid.js';

describe('the UUID of an ObjectId', () => {
  it('has its second, and gives the ObjectId back, at both ends of each part', () => {
    const objectIds = [
      '0'.repeat(24),
      'f'.repeat(24),
      `00000001${'0'.repeat(16)}`,
      '507f1f77bcf86cd799439011',
    ];
    for (const objectId of objectIds) {
      const uuid = uuidOfObjectId(objectId);
      expect(parseUuid7(uuid).ms).toBe(Number.parseInt(objectId.slice(0, 8), 16) * 1_000);
      expect(objectIdOfUuid(uuid)).toBe(objectId);
    }
    // Bits 0 to 63 after the time: 12, then 52, then ten zeros.
    expect(uuidOfObjectId(`00000001abc${'f'.repeat(13)}`)).toBe('00000000-03e8-7abc-bfff-fffffffffc00');
  });

  it.each(['', '507f1f77bcf86cd79943901', '507F1F77BCF86CD799439011', `${'0'.repeat(24)}\n`])(
    'is refused for %j',
    (text) => expect(() => uuidOfObjectId(text)).toThrow(RangeError),
  );

  it.each([
    ['another second', '014bcd5e-5001-7bcf-a1b3-5e6510e04400'],
    ['other last bits', '00000000-0000-7000-8000-000000000001'],
    ['another version', '00000000-0000-4000-8000-000000000000'],
    ['another variant', '00000000-0000-7000-c000-000000000000'],
    ['a second that no ObjectId has', 'ffffffff-ffff-7000-8000-000000000000'],
    ['upper case', uuidOfObjectId('f'.repeat(24)).toUpperCase()],
    ['no UUID', 'order'],
  ])('is not mistaken for a UUID with %s', (_, uuid) => {
    expect(() => objectIdOfUuid(uuid)).toThrow(RangeError);
  });
});
