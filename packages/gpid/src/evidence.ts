/**
 * What distinguishes incarnations of a process where address, port, start time and pid agree. Every part may
 * be missing; main threads and processes that are no cluster workers have no `thread` and no `worker`.
 */
export interface Evidence {
  /**
   * The first 16 hexadecimal digits of the kernel's boot id: another after a reboot, and on another machine.
   */
  readonly boot?: string;
  /**
   * The kernel's start time of the process, in ticks of 10 ms since the boot: independent of the
   * wall clock. 0 .. 10^15 - 1.
   */
  readonly ticks?: number;
  /** The inode number of the pid namespace: containers have a pid 1 each. 1 .. 10^15 - 1. */
  readonly pidns?: number;
  /** The `threadId` of a worker thread, which has its process's pid and start time. 1 .. 10^15 - 1. */
  readonly thread?: number;
  /**
   * `<id>@<ticks>`: a `node:cluster` worker's id and its primary's `ticks`. Workers of
   * one primary share its port.
   */
  readonly worker?: string;
  /** 64 random bits, 16 hexadecimal digits, drawn once per thread: what is left when nothing else differs. */
  readonly run?: string;
}

const HEX = '[0-9a-f]{16}';
/** Up to 10^15 - 1, so that every one is exact. */
const COUNT = '[1-9]\\d{0,14}';
const MOST = 10 ** 15 - 1;

/** In the order in which they are written. */
const FIELDS = [
  { key: 'boot', pattern: HEX, rule: '16 hexadecimal digits in lower case' },
  { key: 'ticks', pattern: `0|${COUNT}`, rule: `a whole number from 0 to ${MOST}` },
  { key: 'pidns', pattern: COUNT, rule: `a whole number from 1 to ${MOST}` },
  { key: 'thread', pattern: COUNT, rule: `a whole number from 1 to ${MOST}` },
  {
    key: 'worker',
    pattern: `${COUNT}@(?:0|${COUNT})`,
    rule: 'the id of a cluster worker, @ and its primary ticks',
  },
  { key: 'run', pattern: HEX, rule: '16 hexadecimal digits in lower case' },
] as const;

/** The source of a regular expression, a group for each field. */
export const EVIDENCE_PATTERN = FIELDS.map(({ key, pattern }) => `(?:;${key}=(${pattern}))?`).join('');

const TEXT = new RegExp(`^${EVIDENCE_PATTERN}$`);

const NO_EVIDENCE: Evidence = Object.freeze({});

/** `;boot=...;ticks=...`, or '' when there is none. Checks nothing. */
export function evidenceText(evidence: Evidence): string {
  return FIELDS.map(({ key }) => (evidence[key] === undefined ? '' : `;${key}=${evidence[key]}`)).join('');
}

/** Whether `text` is exactly what `evidenceText` writes. */
export function isEvidence(text: string): boolean {
  return TEXT.test(text);
}

/** The evidence in `text`, for which `isEvidence` holds. */
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

/** What is wrong with `text`, for which `isEvidence` does not hold. */
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
  return `after the pid, each at most once and in this order, may stand ${keys}, as in ;boot=2132d8db778144df;ticks=42, got ${JSON.stringify(text.slice(0, 100))}`;
}
