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
