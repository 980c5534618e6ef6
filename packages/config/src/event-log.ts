import { shownValue } from '@ids/core/strategy';

/** From none to all. Each writes what those before it write too. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

type Severity = Exclude<LogLevel, 'silent'>;

/** Whatever writes log lines: `console`, or a logger of pino, winston and their like. */
export type Logger = Readonly<Record<Severity, (line: string) => void>>;

/** How severe the events of generators are; one that is not listed is `info`. */
const SEVERITIES: Readonly<Record<string, Severity>> = {
  regression: 'error',
  timeout: 'error',
  'new-reign': 'warn',
  'refill-failed': 'warn',
  'window-failed': 'warn',
  lapse: 'warn',
  void: 'warn',
  warning: 'warn',
  discard: 'info',
  debt: 'debug',
  refill: 'debug',
  window: 'debug',
  wait: 'debug',
};

/** What generators pass to `onEvent`, as far as it can be logged without knowing the strategy. */
interface AnyEvent {
  readonly type: string;
}

/** What is wrong with `logLevel` of a config; undefined when nothing is. */
export function logLevelProblem(level: unknown): string | undefined {
  if (level === undefined || (LOG_LEVELS as readonly unknown[]).includes(level)) return undefined;
  const accepted = LOG_LEVELS.map((name) => `"${name}"`).join(', ');
  return `logLevel: must be one of ${accepted}, got ${shownValue(level)}`;
}

/**
 * A listener for the generator `name` that writes one line for each event, such as
 * `ids order: discard {...}`.
 */
export function logEvents(name: string, logger: Logger, level: LogLevel): (event: AnyEvent) => void {
  const written = LOG_LEVELS.indexOf(level);
  return ({ type, ...facts }) => {
    const severity = SEVERITIES[type] ?? 'info';
    if (LOG_LEVELS.indexOf(severity) > written) return;
    logger[severity](`ids ${name}: ${type} ${JSON.stringify(facts, readable)}`);
  };
}

/** Errors and big integers have no JSON of their own. */
function readable(_: string, value: unknown): unknown {
  if (value instanceof Error) return value.message;
  return typeof value === 'bigint' ? String(value) : value;
}
