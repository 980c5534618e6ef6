import fc from 'fast-check';

/** 24 hex digits; often of times at which clocks, signs and formats turn over: 1970, 2038, 2106. */
export const anyHex = fc
  .tuple(
    fc.oneof(fc.nat(2 ** 32 - 1), fc.constantFrom(0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff)),
    fc.uint8Array({ minLength: 8, maxLength: 8 }),
  )
  .map(([seconds, rest]) => seconds.toString(16).padStart(8, '0') + Buffer.from(rest).toString('hex'));

/**
 * A UTF-16 code unit, also one of half a pair; often ASCII. That of fast-check, `binary`,
 * takes seconds to set up.
 */
export const anyUnit = fc.oneof(fc.nat(0x7f), fc.nat(0xffff)).map((unit) => String.fromCharCode(unit));

/** All sorts of values, among them nearly ids. */
export const anyInput = fc.oneof(
  fc.anything({
    withTypedArray: true,
    withDate: true,
    withBigInt: true,
    withMap: true,
    withNullPrototype: true,
  }),
  fc.string({ unit: anyUnit, minLength: 22, maxLength: 26 }),
  fc
    .tuple(anyHex, fc.nat(23), fc.string({ unit: anyUnit, maxLength: 2 }))
    .map(([id, at, put]) => id.slice(0, at) + put + id.slice(at + 1)),
  fc.uint8Array({ minLength: 11, maxLength: 13 }),
  fc.double(),
  fc.record({ id: fc.oneof(anyHex, fc.uint8Array({ minLength: 11, maxLength: 13 }), fc.anything()) }),
  fc.record({
    id: fc.anything(),
    toHexString: fc.oneof(fc.func(anyHex), fc.func(fc.anything()), fc.anything()),
  }),
);
