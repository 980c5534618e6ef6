import { readFile, writeFile } from 'node:fs/promises';
import { chart } from './chart.js';
import type { Cost, Load } from './load.js';
import { type Measured, measure } from './measured.js';
import { simulate } from './simulated.js';

/** Virtual milliseconds times processes: what one point of the simulation is given. */
const SIMULATED_MS = 100_000;
const THINK_MS = 10;
/** Ids per second that all callers together ask for in the simulation, where sequences grow. */
const CALM_RATE = 4_000;
const MEASURED_MS = 3_000;
const DOCS = new URL('../../../../docs/', import.meta.url);

const one = (processes: number): Load => ({ processes, sequences: 1 });
const many = (sequences: number): Load => ({ processes: 2, sequences });

const simulatedProcesses: Cost[] = [];
for (const processes of [1, 10, 100, 1_000]) {
  const runMs = Math.min(2_000, SIMULATED_MS / processes);
  simulatedProcesses.push(told('simulated', await simulate(one(processes), runMs, THINK_MS)));
}
const simulatedSequences: Cost[] = [];
for (const sequences of [1, 10, 100, 1_000]) {
  const thinkMs = Math.max(THINK_MS, (8 * sequences * 1_000) / CALM_RATE);
  simulatedSequences.push(told('simulated', await simulate(many(sequences), 1_000, thinkMs)));
}
const measuredProcesses: Measured[] = [];
for (const generators of [1, 3, 10, 30, 100, 300])
  measuredProcesses.push(told('measured', await measure(one(generators), MEASURED_MS)));
const measuredSequences: Measured[] = [];
for (const sequences of [1, 10, 100, 1_000, 10_000, 100_000])
  measuredSequences.push(told('measured', await measure({ processes: 1, sequences }, MEASURED_MS)));

await writeFile(
  new URL('growth.svg', DOCS),
  chart([
    {
      title: 'Simulated: scripts per id, by processes',
      along: 'processes with 4 callers each, one sequence',
      series: [
        { name: 'scripts that Redis runs per id', points: costPerId(simulatedProcesses, 'processes') },
      ],
    },
    {
      title: 'Measured: one Redis, by generators',
      along: 'generators with 4 callers each, one sequence',
      series: [
        { name: 'ids per second', points: perSecond(measuredProcesses, 'processes', 'ids') },
        { name: 'scripts per second', points: perSecond(measuredProcesses, 'processes', 'scripts') },
      ],
    },
    {
      title: 'Simulated: scripts per id, by sequences',
      along: `sequences, ${CALM_RATE / 1_000} k ids per second over all`,
      series: [
        { name: 'scripts that Redis runs per id', points: costPerId(simulatedSequences, 'sequences') },
      ],
    },
    {
      title: 'Measured: one Redis, by sequences',
      along: 'sequences, 64 callers in turn over all',
      series: [
        { name: 'ids per second', points: perSecond(measuredSequences, 'sequences', 'ids') },
        { name: 'scripts per second', points: perSecond(measuredSequences, 'sequences', 'scripts') },
      ],
    },
  ]),
);
const page = new URL('growth.md', DOCS);
let text = await readFile(page, 'utf8');
text = withTable(text, 'simulated processes', simulatedProcesses.map(simulatedRow('processes')));
text = withTable(text, 'simulated sequences', simulatedSequences.map(simulatedRow('sequences')));
text = withTable(text, 'measured generators', measuredProcesses.map(measuredRow('processes')));
text = withTable(text, 'measured sequences', measuredSequences.map(measuredRow('sequences')));
await writeFile(page, text);

function told<T extends Cost>(how: string, cost: T): T {
  const { processes, sequences, ids, scripts } = cost;
  console.log(`${how}: ${processes} x ${sequences}: ${ids} ids, ${scripts} scripts`);
  return cost;
}

type By = keyof Load;

function costPerId(costs: readonly Cost[], by: By): [number, number][] {
  return costs.map((cost) => [cost[by], cost.scripts / cost.ids]);
}

function perSecond(costs: readonly Cost[], by: By, what: 'ids' | 'scripts'): [number, number][] {
  return costs.map((cost) => [cost[by], cost[what] / cost.seconds]);
}

function simulatedRow(by: By) {
  return (cost: Cost) => [
    count(cost[by]),
    count(cost.ids),
    (cost.scripts / cost.ids).toFixed(2),
    ((1_000 * cost.reservations) / cost.ids).toFixed(2),
    `${cost.p50.toFixed(1)} ms`,
    `${cost.p99.toFixed(1)} ms`,
  ];
}

function measuredRow(by: By) {
  return (cost: Measured) => [
    count(cost[by]),
    count(Math.round(cost.ids / cost.seconds)),
    count(Math.round(cost.scripts / cost.seconds)),
    (cost.scripts / cost.ids).toFixed(2),
    ((1_000 * cost.reservations) / cost.ids).toFixed(2),
    `${cost.p50.toFixed(2)} ms`,
    `${cost.p99.toFixed(2)} ms`,
    String(cost.bytesPerSequence),
  ];
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** Puts rows into the table after the comment `<!-- name -->`, below its heading. */
function withTable(text: string, name: string, rows: readonly (readonly string[])[]): string {
  const table = new RegExp(`(<!-- ${name} -->\\n\\n\\|.*\\|\\n\\|.*\\|\\n)(?:\\|.*\\|\\n)*`);
  if (!table.test(text)) throw new Error(`docs/growth.md has no table after <!-- ${name} -->`);
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
  return text.replace(table, (_, heading: string) => heading + lines);
}
