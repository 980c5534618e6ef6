/**
 * Distinguishes incarnations of a process with equal address, port, start time and pid. Any part can be
 * missing. Main threads have no `thread`, and processes other than cluster workers no `worker`.
 */
export interface Evidence {
  /**
   * The first 16 hex digits of the kernel's boot id, which is different after a reboot and on every machine.
   */
  readonly boot?: string;
  /**
   * The kernel's start time of the process, in ticks of 10 ms since boot; does not depend on the wall clock.
   * 0 .. 10^15 - 1.
   */
  readonly ticks?: number;
  /** The inode number of the pid namespace, because every container has a pid 1. 1 .. 10^15 - 1. */
  readonly pidns?: number;
  /**
   * The `threadId` of a worker thread; threads share the pid and start time of their process. 1 .. 10^15 - 1.
   */
  readonly thread?: number;
  /**
   * `<id>@<ticks>`: the id of a `node:cluster` worker and the `ticks` of its primary. Workers of one primary
   * share its port.
   */
  readonly worker?: string;
  /** 64 random bits as 16 hex digits, drawn once per thread, for when nothing else differs. */
  readonly run?: string;
}

const HEX = '[0-9a-f]{16}';
/** Up to 10^15 - 1, so that every value is exact as a number. */
const COUNT = '[1-9]\\d{0,14}';
const MOST = 10 ** 15 - 1;

/** In the order in which they are written. */
const FIELDS = [
  { key: 'boot', pattern: HEX, rule: '16 lower-case hex digits' },
  { key: 'ticks', pattern: `0|${COUNT}`, rule: `a whole number from 0 to ${MOST}` },
  { key: 'pidns', pattern: COUNT, rule: `a whole number from 1 to ${MOST}` },
  { key: 'thread', pattern: COUNT, rule: `a whole number from 1 to ${MOST}` },
  {
    key: 'worker',
    pattern: `${COUNT}@(?:0|${COUNT})`,
    rule: 'the id of a cluster worker, @ and the ticks of its primary',
  },
  { key: 'run', pattern: HEX, rule: '16 lower-case hex digits' },
] as const;

/** The source of a regular expression with one group per field. */
export const EVIDENCE_PATTERN = FIELDS.map(({ key, pattern }) => `(?:;${key}=(${pattern}))?`).join('');

const TEXT = new RegExp(`^${EVIDENCE_PATTERN}$`);

const NO_EVIDENCE: Evidence = Object.freeze({});

/** Formats evidence as `;boot=...;ticks=...`; '' if there is none. Does not validate. */
export function evidenceText(evidence: Evidence): string {
  return FIELDS.map(({ key }) => (evidence[key] === undefined ? '' : `;${key}=${evidence[key]}`)).join('');
}

/** Whether `text` is exactly what `evidenceText` writes. */
export function isEvidence(text: string): boolean {
  return TEXT.test(text);
}

/** Parses `text`, for which `isEvidence` must hold. */
export function parseEvidence(text: string): Evidence {
  if (text === '') return NO_EVIDENCE;
  const [, boot, ticks, pidns, thread, worker, run] = TEXT.exec(text) ?? [];
  return Object.freeze({
    ...(boot !== undefined && { boot }),
    ...(ticks !== undefined && { ticks: Number(ticks) }),
    ...(pidns !== undefined && { pidns: Number(pidns) }),
    ...(thread !== undefined && { thread: Number(thread) }),
    ...(worker !== undefined && { worker }),
    ...(run !== undefined && { run }),
  });
}

/** Describes what is wrong with `text`, for which `isEvidence` does not hold. */
export function evidenceFault(text: string): string {
  const keys = FIELDS.map(({ key }) => key).join(', ');
  for (const part of text.split(';')) {
    const [key, ...rest] = part.split('=');
    const field = FIELDS.find((known) => known.key === key);
    if (field === undefined) continue;
    const value = rest.join('=');
    if (!isEvidence(`;${key}=${value}`))
      return `${field.key} must be ${field.rule}, got ${JSON.stringify(value.slice(0, 100))}`;
  }
  return `only ${keys} may follow the pid, each at most once and in this order, as in ;boot=2132d8db778144df;ticks=42, got ${JSON.stringify(text.slice(0, 100))}`;
}
