import { formatValue } from '@ids/core/strategy';

/** From none to all. Each level includes those before it. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Severity = Exclude<LogLevel, 'silent'>;

/** Writes log lines: `console`, or a logger of pino, winston or the like. */
export type Logger = Readonly<Record<Severity, (line: string) => void>>;

/** The severity of generator events; `info` for any that are not listed. */
const SEVERITIES: Readonly<Record<string, Severity>> = {
  regression: 'error',
  timeout: 'error',
  'new-reign': 'warn',
  reinstated: 'warn',
  'refill-failed': 'warn',
  'request-failed': 'warn',
  'silent-connection': 'warn',
  'reserve-failed': 'warn',
  'window-failed': 'warn',
  lapse: 'warn',
  void: 'warn',
  warning: 'warn',
  discard: 'info',
  debt: 'debug',
  refill: 'debug',
  reserve: 'debug',
  window: 'debug',
  wait: 'debug',
};

/** What generators pass to `onEvent`, as far as it can be logged without knowledge of the strategy. */
interface AnyEvent {
  readonly type: string;
  /** What happened, as a sentence. */
  readonly message?: string;
}

/** What is wrong with the `logLevel` of a config; undefined if it is valid. */
export function logLevelProblem(level: unknown): string | undefined {
  if (level === undefined || (LOG_LEVELS as readonly unknown[]).includes(level)) return undefined;
  const accepted = LOG_LEVELS.map((name) => `"${name}"`).join(', ');
  return `logLevel: must be one of ${accepted}, got ${formatValue(level)}`;
}

/**
 * A listener for generator `name` that writes one line per event, such as `ids order: discard {...}`, or with
 * the sentence of an event that has one, `ids order: void: Redis was restarted ... {...}`.
 */
export function logEvents(name: string, logger: Logger, level: LogLevel): (event: AnyEvent) => void {
  const written = LOG_LEVELS.indexOf(level);
  return ({ type, message, ...facts }) => {
    const severity = SEVERITIES[type] ?? 'info';
    if (LOG_LEVELS.indexOf(severity) > written) return;
    const said = message === undefined ? type : `${type}: ${message}`;
    logger[severity](`ids ${name}: ${said} ${JSON.stringify(facts, readable)}`);
  };
}

/** Errors and bigints have no JSON form. */
function readable(_: string, value: unknown): unknown {
  if (value instanceof Error) return value.message;
  return typeof value === 'bigint' ? String(value) : value;
}
