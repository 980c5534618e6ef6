import { ruleMessage } from '@ids/core/strategy';
import * as v from 'valibot';

export const DAY_MS = 86_400_000;

/** A whole number of `unit`s from `min` to `max`, inclusive. */
export function wholeNumber(min: number, max: number, unit?: string) {
  const rule = `must be a whole number ${unit === undefined ? '' : `of ${unit} `}from ${min} to ${max}`;
  return v.custom<number>(
    (value) => typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max,
    ruleMessage(rule),
  );
}

/** For `onEvent` of a strategy that has events of its own. */
export function listenerOption<Listener extends (event: never) => void>() {
  return v.optional(
    v.custom<Listener>((value) => typeof value === 'function', ruleMessage('must be a function')),
  );
}
