/** What happens inside a generator of ids from a server, for logs and metrics. */
export type HttpEvent = { readonly name: string } & (
  | {
      /** The server gave no ids; the next request follows after a pause. */
      readonly type: 'request-failed';
      readonly error: Error;
    }
  | {
      /** Ids were dropped unused, which is a gap. */
      readonly type: 'discard';
      readonly count: number;
      readonly reason: string;
    }
);

/** May be async. If it throws or rejects, that becomes a process warning. */
export type HttpListener = (event: HttpEvent) => void;
