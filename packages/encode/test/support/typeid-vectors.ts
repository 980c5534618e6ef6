export const NIL = '00000000-0000-0000-0000-000000000000';
export const MAX = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Of https://github.com/jetify-com/typeid, spec 0.3: valid.json. */
export const VALID = [
  ['nil', '00000000000000000000000000', undefined, NIL],
  ['one', '00000000000000000000000001', undefined, '00000000-0000-0000-0000-000000000001'],
  ['ten', '0000000000000000000000000a', undefined, '00000000-0000-0000-0000-00000000000a'],
  ['sixteen', '0000000000000000000000000g', undefined, '00000000-0000-0000-0000-000000000010'],
  ['thirty-two', '00000000000000000000000010', undefined, '00000000-0000-0000-0000-000000000020'],
  ['max-valid', '7zzzzzzzzzzzzzzzzzzzzzzzzz', undefined, MAX],
  ['valid-alphabet', 'prefix_0123456789abcdefghjkmnpqrs', 'prefix', '0110c853-1d09-52d8-d73e-1194e95b5f19'],
  ['valid-uuidv7', 'prefix_01h455vb4pex5vsknk084sn02q', 'prefix', '01890a5d-ac96-774b-bcce-b302099a8057'],
  ['prefix-underscore', 'pre_fix_00000000000000000000000000', 'pre_fix', NIL],
] as const;

/** The same: invalid.json, and which part of each is wrong, before or after the last underscore. */
export const INVALID = (
  [
    ['prefix-uppercase', 'PREFIX_00000000000000000000000000', 'type'],
    ['prefix-numeric', '12345_00000000000000000000000000', 'type'],
    ['prefix-period', 'pre.fix_00000000000000000000000000', 'type'],
    ['prefix-non-ascii', 'préfix_00000000000000000000000000', 'type'],
    ['prefix-spaces', '  prefix_00000000000000000000000000', 'type'],
    ['prefix-64-chars', `${'abcdefgh'.repeat(8)}_00000000000000000000000000`, 'type'],
    ['separator-empty-prefix', '_00000000000000000000000000', 'type'],
    ['separator-empty', '_', 'type'],
    ['suffix-short', 'prefix_1234567890123456789012345', 'suffix'],
    ['suffix-long', 'prefix_123456789012345678901234567', 'suffix'],
    ['suffix-spaces', 'prefix_1234567890123456789012345 ', 'suffix'],
    ['suffix-uppercase', 'prefix_0123456789ABCDEFGHJKMNPQRS', 'suffix'],
    ['suffix-hyphens', 'prefix_123456789-123456789-123456', 'suffix'],
    ['suffix-wrong-alphabet', 'prefix_ooooooiiiiiiuuuuuuulllllll', 'suffix'],
    ['suffix-ambiguous-crockford', 'prefix_i23456789ol23456789oi23456', 'suffix'],
    ['suffix-hyphens-crockford', 'prefix_123456789-0123456789-0123456', 'suffix'],
    ['suffix-overflow', 'prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz', 'suffix'],
    ['prefix-underscore-start', '_prefix_00000000000000000000000000', 'type'],
    ['prefix-underscore-end', 'prefix__00000000000000000000000000', 'type'],
  ] as const
).map(([name, text, part]) => {
  const end = text.lastIndexOf('_');
  return [name, text, part === 'type' ? text.slice(0, end) : text.slice(end + 1)] as const;
});
