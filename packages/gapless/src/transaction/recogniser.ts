import type { TransactionPort } from './port.js';

/** An object whose members are not known. */
export type Shape = Readonly<Record<string, unknown>>;

/** How the transactions of one library are told from everything else: by what they can do. */
export interface Recogniser {
  /** For messages: what it takes. */
  readonly name: string;
  /** The port to a transaction of this library; undefined for anything else. */
  recognise(tx: Shape): TransactionPort | undefined;
}

/** Whether an object has functions of these names. */
export function hasCalls<Name extends string>(
  value: unknown,
  ...names: readonly Name[]
): value is Shape & Readonly<Record<Name, (...given: unknown[]) => unknown>> {
  return names.every((name) => typeof (Object(value) as Shape)[name] === 'function');
}
