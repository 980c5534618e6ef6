/** Who holds a key, as far as the database shows it. */
export interface Holder {
  /** The process of the server, as its list of processes numbers it. */
  readonly pid: number;
  /** What the client calls itself, or its account and address. */
  readonly application: string;
  /** When its transaction began, in ISO 8601; undefined if the account may not see it. */
  readonly since: string | undefined;
  /** What the transaction does now: `idle in transaction`, `active`. */
  readonly state: string | undefined;
}

/** For an error message. */
export function shownHolder({ pid, application, since, state }: Holder): string {
  const began = since === undefined ? '' : `, since ${since}`;
  return `process ${pid} (${application}${state === undefined ? '' : `, ${state}`}${began})`;
}
