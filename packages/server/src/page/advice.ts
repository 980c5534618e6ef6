import type { GeneratorStatus } from './api.js';
import { date, duration, inShell } from './format.js';

/** A step that mends something: what it does, and the command, if it is one. */
export interface Step {
  readonly text: string;
  readonly command?: string;
}

/** What is wrong with a generator. */
export interface Finding {
  /** `bad`: callers get no ids. `watch`: they do, for now. */
  readonly level: 'bad' | 'watch';
  /** Of an error. */
  readonly code?: string;
  readonly title: string;
  readonly effect: string;
  readonly since?: Date;
  /** When it happened last. */
  readonly last?: Date;
  readonly steps: readonly Step[];
}

interface Cause {
  readonly title: string;
  /** Whether calls wait for an end of it. */
  readonly passes?: boolean;
  readonly steps: (name: string) => readonly Step[];
}

const DOCTOR: Step = { text: 'Find out which setting or server it is:', command: 'ids doctor' };
const LOG: Step = {
  text: 'Read the error with its host in the log of the server:',
  command: 'journalctl -u ids-server --since -1h --grep fail',
};

const STORE: Cause = {
  title: 'The store fails or does not answer',
  passes: true,
  steps: () => [DOCTOR, LOG, { text: 'IDs go on by themselves when the store answers. None is repeated.' }],
};

const CAUSES: Readonly<Record<string, Cause>> = {
  ERR_IDS_UNAVAILABLE: STORE,
  ERR_IDS_TIMEOUT: STORE,
  ERR_IDS_NOT_READY: STORE,
  ERR_IDS_CLOCK: {
    title: 'The clock of a machine moved too far',
    passes: true,
    steps: () => [
      { text: 'Compare the clock of the server with its source:', command: 'timedatectl timesync-status' },
      { text: 'Compare it with those of the databases:', command: 'ids doctor' },
    ],
  },
  ERR_IDS_CONFIG: {
    title: 'Something is missing or set wrongly',
    steps: () => [
      DOCTOR,
      { text: 'See which tables and sequences are missing:', command: 'ids apply --dry-run' },
      { text: 'Create them, unless they were lost: then as the doctor says.', command: 'ids apply' },
    ],
  },
  ERR_IDS_UNMET: {
    title: 'The generator does not promise what the config requires',
    steps: () => [DOCTOR],
  },
  ERR_IDS_EXHAUSTED: {
    title: 'The range of IDs is used up',
    steps: (name) => [
      { text: 'See how far the sequence is:', command: `ids floor ${name}` },
      {
        text: 'Swap to a generator with a wider range; this prints the steps:',
        command: `ids swap --from ${name} --to <generator>`,
      },
    ],
  },
  ERR_IDS_REGRESSED: {
    title: 'The store went back to an older state',
    steps: (name) => [
      { text: 'Stop all processes that take IDs from it, and the server that was used before.' },
      { text: 'See how far the sequence is, and what else knows of IDs:', command: `ids floor ${name}` },
      {
        text: 'Raise it to the highest ID that anybody saw, if none above was ever issued, and end the refusal:',
        command: `ids floor ${name} <highest ID> --checked`,
      },
      { text: 'Check the result:', command: 'ids doctor' },
    ],
  },
  ERR_IDS_REALM: {
    title: 'The store is another one than when the server started',
    steps: () => [
      { text: 'See to which database the config leads now:', command: 'ids doctor' },
      {
        text: 'Lead it back to the first one. If its table was made anew, stop all servers and raise it first.',
      },
    ],
  },
  ERR_IDS_CLOSED: {
    title: 'The server is shutting down',
    steps: () => [{ text: 'See why:', command: 'journalctl -u ids-server -n 50' }],
  },
};

/** When the end of a range is worth a warning, in days. */
const WARN_DAYS = 90;

/** What is wrong with a generator, the worst first. */
export function findingsOf(generator: GeneratorStatus, now: Date): readonly Finding[] {
  const found = [failing(generator), wentBack(generator, now), rangeEnds(generator, now)];
  return found.filter((one) => one !== undefined);
}

function failing({ name, health, trouble }: GeneratorStatus): Finding | undefined {
  if (health.status === 'closed')
    return { ...causeOf('ERR_IDS_CLOSED', name), level: 'bad', effect: 'No IDs.' };
  if (trouble === undefined || trouble.until !== undefined) return undefined;
  const { code, since, at, calls } = trouble;
  const times = { since: new Date(since), last: new Date(at) };
  const level = health.status === 'degraded' || calls === 0 ? 'watch' : 'bad';
  const { remaining = 0, secondsLeft } = health;
  const lasts = secondsLeft === undefined ? '' : `, for about ${duration(secondsLeft)} at the present rate`;
  const left = `IDs still come from memory: ${remaining.toLocaleString('en')}${lasts}.`;
  const failed = `${calls.toLocaleString('en')} ${calls === 1 ? 'call has' : 'calls have'} failed.`;
  const effect = remaining > 0 ? left : CAUSES[code]?.passes ? 'Calls wait, then fail.' : 'Calls fail.';
  return { ...causeOf(code, name), level, effect: calls === 0 ? effect : `${effect} ${failed}`, ...times };
}

function causeOf(code: string, name: string): Pick<Finding, 'code' | 'title' | 'steps'> {
  const { title, steps } = CAUSES[code] ?? { title: 'Calls fail', steps: () => [DOCTOR, LOG] };
  return { code, title, steps: steps(inShell(name)) };
}

function wentBack({ name, health }: GeneratorStatus, now: Date): Finding | undefined {
  const { lastRegression: at } = health;
  const since = at && new Date(at.at);
  if (since === undefined || now.getTime() - since.getTime() > 86_400_000) return undefined;
  return {
    level: 'watch',
    title: 'The store was restored, failed over or went back',
    effect: 'IDs were skipped, so that none is repeated. Check that the gap is large enough.',
    since,
    // IDs go on, so nothing that takes them is to be stopped.
    steps: [
      { text: 'Stop the server that was used before, if it still answers.' },
      { text: 'See whether the sequence is above all IDs that are known:', command: 'ids doctor' },
      {
        text: 'If anybody saw a higher one, raise it:',
        command: `ids floor ${inShell(name)} <highest ID>`,
      },
    ],
  };
}

function rangeEnds({ name, health: { exhaustedAt } }: GeneratorStatus, now: Date): Finding | undefined {
  if (exhaustedAt === undefined) return undefined;
  const end = new Date(exhaustedAt);
  const seconds = (end.getTime() - now.getTime()) / 1_000;
  if (seconds > WARN_DAYS * 86_400) return undefined;
  return {
    level: 'watch',
    title: `The range of IDs ends on ${date(end)}`,
    effect: `${duration(seconds)} are left at the present rate of all processes.`,
    steps: causeOf('ERR_IDS_EXHAUSTED', name).steps,
  };
}
