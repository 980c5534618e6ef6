/** The rule for the type of a TypeID, from https://github.com/jetify-com/typeid, spec 0.3. */
export const TYPE_RULE = 'must be 1 to 63 characters of a-z and _, with a letter at both ends';

export function isTypeidType(type: unknown): type is string {
  return typeof type === 'string' && type.length <= 63 && /^[a-z](?:[a-z_]*[a-z])?$/.test(type);
}
