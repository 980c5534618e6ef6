import type { History } from '../history/history.js';
import type { CallPlan } from '../history/record-calls.js';

/** To a member (a child process or worker thread): open first, then go once all are open. */
export type ToMember =
  | { readonly type: 'open'; readonly module: string; readonly context: unknown }
  | { readonly type: 'go'; readonly process: number; readonly plan: CallPlan }
  | { readonly type: 'stop' };

export type FromMember =
  | { readonly type: 'opened' }
  /** What happened since the last report. `noted` holds an entry for each call of `note`. */
  | { readonly type: 'part'; readonly history: History; readonly noted: readonly string[] }
  | { readonly type: 'done' }
  | { readonly type: 'error'; readonly stack: string };

/** A promise with its ends in hand. A rejection that nobody came to await is not an unhandled one. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

export function deferred<T>(): Deferred<T> {
  let resolve: Deferred<T>['resolve'] = () => undefined;
  let reject: Deferred<T>['reject'] = () => undefined;
  const promise = new Promise<T>((onValue, onReason) => {
    resolve = onValue;
    reject = onReason;
  });
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
