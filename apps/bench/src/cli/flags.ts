// Imports no package of this workspace: `pnpm bench --help` reads this file before anything is built.
import type { ArgsDef, CommandDef } from 'citty';
import { ORDER_NEEDS, TYPE_NEEDS } from '../judge/needs.js';

/** What `--reveals` accepts. */
export const REVEALS = { time: 'time', host: 'host', address: 'address', process: 'process' } as const;
const REVEALED = Object.keys(REVEALS);

/** The options of every command that measures. */
export const commonFlags = {
  quick: { type: 'boolean', description: 'two and a half minutes on two idle cores (default)' },
  full: { type: 'boolean', description: 'about 20 minutes: more and longer blocks, ten times as many ids' },
  smoke: {
    type: 'boolean',
    description: 'a few seconds, to check that everything runs; the figures mean nothing',
  },
  only: {
    type: 'string',
    valueHint: 'a,b',
    description: 'only these strategies, and what they are compared with',
  },
  out: {
    type: 'string',
    valueHint: 'dir',
    description: 'folder for the report; results of other commands in it are kept (default: bench-report)',
  },
  json: { type: 'boolean', description: 'print result.json, and nothing else, on standard output' },
  compare: {
    type: 'string',
    valueHint: 'result.json',
    description: 'report what is faster or slower than in that run',
  },
  ci: { type: 'boolean', description: 'plain progress lines' },
  help: { type: 'boolean', alias: 'h', description: 'print this help' },
} as const satisfies ArgsDef;

/** The options of the bench. */
export const benchFlags = {
  ...commonFlags,
  rate: { type: 'string', valueHint: 'n', description: 'need: ids per second in one process' },
  p99: {
    type: 'string',
    valueHint: 'time',
    description: 'need: 99 of 100 calls at that rate take at most this, as in 5ms',
  },
  'max-length': {
    type: 'string',
    valueHint: 'n',
    description: 'need: ids of at most this many characters or digits',
  },
  order: { type: 'string', valueHint: 'word', description: `need: ${Object.keys(ORDER_NEEDS).join(', ')}` },
  type: { type: 'string', valueHint: 'word', description: `need: ${Object.keys(TYPE_NEEDS).join(', ')}` },
  reveals: { type: 'string', valueHint: 'what', description: `need: each id reveals ${REVEALED.join(', ')}` },
  offline: { type: 'boolean', description: 'need: ids while no backend can be reached' },
  public: { type: 'boolean', description: 'need: outsiders see the ids and must learn nothing from them' },
  config: {
    type: 'string',
    valueHint: 'file',
    description: 'an ids.config.* whose "require" blocks state the needs; the report has one for all of them',
  },
  strategy: {
    type: 'string',
    valueHint: 'file,...',
    description: 'modules of your own strategies, to be measured with the others',
  },
  processes: {
    type: 'string',
    valueHint: 'n',
    description: 'concurrent processes for uniqueness and order, 2 to 64 (default: 4)',
  },
} as const satisfies ArgsDef;

/** For the help text. */
export const benchUsage: CommandDef = {
  meta: {
    name: 'bench [faults | index | report <result.json>]',
    description:
      'Measures the ID strategies side by side and checks their guarantees. "faults" counts duplicate and lost IDs while servers and processes fail. "index" measures the cost of IDs as a primary key in Postgres. "report" renders an earlier result.json again.',
  },
  args: benchFlags,
};
