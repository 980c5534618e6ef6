import type { Guarantees } from '@ids/core';

/** Says whether something is the text of an id, as `guarantees` describe it. */
export function ownText({ pattern, maxLength }: Guarantees['text']): (value: unknown) => value is string {
  // The flags g and y would make each answer depend on the one before, m would let several lines pass.
  const whole = new RegExp(`^(?:${pattern.source})$`, pattern.flags.replace(/[gmy]/g, ''));
  return (value): value is string =>
    typeof value === 'string' && value.length <= maxLength && whole.test(value);
}
