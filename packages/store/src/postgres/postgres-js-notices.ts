/** A notice or warning, as `postgres` parses it. */
export interface PostgresJsNotice {
  readonly message?: string;
  readonly detail?: string;
  readonly routine?: string;
  readonly [field: string]: string | undefined;
}

interface Heard {
  /** What has arrived since. */
  readonly notices: readonly string[];
  stop(): void;
}

/** The same for all copies of this package. */
const LISTEN = Symbol.for('@ids/store listen to the notices of postgres');

interface NoticeHook {
  (notice: PostgresJsNotice): void;
  readonly [LISTEN]: () => Heard;
}

/**
 * The option `onnotice` of a client of `postgres`, which has no other way to say what the server warns of:
 * for instance that a commit might not have been replicated. `next` gets all notices as well; without it,
 * none are printed.
 *
 * The client does not say to which connection a notice came. So those of others count too while a statement
 * runs: at worst, a segment is skipped.
 */
export function postgresJsNotices(
  next: (notice: PostgresJsNotice) => void = () => {},
): (notice: PostgresJsNotice) => void {
  const listeners = new Set<string[]>();
  const hook = (notice: PostgresJsNotice): void => {
    const { message, detail, routine } = notice;
    const text = [message, detail, routine].filter(Boolean).join(' ');
    for (const notices of listeners) notices.push(text);
    next(notice);
  };
  const listen = (): Heard => {
    const notices: string[] = [];
    listeners.add(notices);
    return { notices, stop: () => listeners.delete(notices) };
  };
  return Object.assign(hook, { [LISTEN]: listen }) satisfies NoticeHook;
}

export function noticesOf(onnotice: unknown): { listen(): Heard } | undefined {
  const listen = (onnotice as Partial<NoticeHook> | null | undefined)?.[LISTEN];
  return listen === undefined ? undefined : { listen };
}

/** Why a client without the hook is deaf. */
export const SILENT_CLIENT = 'the client of postgres was created without `onnotice: postgresJsNotices()`';
