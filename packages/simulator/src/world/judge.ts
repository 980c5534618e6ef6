import { checkHistory, emptyHistory, type History, type HistoryLevel } from '@ids/conformance';
import { isIdError } from '@ids/core';
import type { StrategyName } from './plan.js';
import type { World } from './world.js';

type Violated = (kind: string, problem: string) => void;

/** How much later than its deadline a call may end, since timers fire late and clocks drift. */
const DEADLINE_SLACK = { factor: 1.1, ms: 100 };

/** What the processes did with a sequence: all of them, or those that use one strategy. */
export function historyOf(world: World, name: string, strategy?: StrategyName): History {
  const all = emptyHistory();
  for (const process of world.processes) {
    if (strategy !== undefined && process.strategyFor(name) !== strategy) continue;
    const { records, failures, unsettled } = process.calls(name)?.history ?? emptyHistory();
    all.records.push(...records);
    all.failures.push(...failures);
    // The calls of a killed process end with it.
    if (!process.owner.dead) all.unsettled.push(...unsettled);
  }
  return all;
}

/** Checks every guarantee of a sequence. */
export function judge(name: string, world: World, violated: Violated): void {
  const { plan } = world;
  const history = historyOf(world, name);
  const check = (checked: History, levels: readonly HistoryLevel[]) => {
    for (const message of checkHistory(checked, { levels }).messages) {
      const [kind = '', ...rest] = message.split(': ');
      violated(kind, rest.join(': '));
    }
  };
  check(history, ['unique', 'increasing', 'fifo']);
  // While two primaries answer, nobody who meets only one of them can know what the other one issues.
  if (!world.table.forked) check({ ...historyOf(world, name, 'ordered'), unsettled: [] }, ['real-time']);
  // The hash in Redis keeps the order in split brain only with confirmation by all replicas.
  const ordered = !world.table.forked && (!plan.splitBrain || plan.options.waitReplicas > 0);
  for (const strategy of ordered ? (['redis', 'redis aside'] as const) : [])
    check({ ...historyOf(world, name, strategy), unsettled: [] }, ['real-time']);
  const limitMs = plan.options.deadlineMs * DEADLINE_SLACK.factor + DEADLINE_SLACK.ms;
  const paused = new Set(world.processes.filter((one) => one.paused).map((one) => one.number));
  for (const call of [...history.records, ...history.failures]) {
    const tookMs = (call.complete - call.invoke) / 1e6;
    if (tookMs <= limitMs || paused.has(call.process)) continue;
    violated(
      'deadline',
      `process ${call.process} call ${call.call} took ${tookMs.toFixed(0)} ms of ${plan.options.deadlineMs}`,
    );
  }
  judgeRefills(name, world, violated);
  for (const process of world.processes) {
    const lie = process.calls(name)?.watch.lie;
    if (lie !== undefined) violated('health', `process ${process.number}, sequence ${name}: ${lie}`);
  }
}

/** Unless set to `refuse`, the table never needs an operator to set its floor. */
function judgeRefills(name: string, world: World, violated: Violated): void {
  const { afterFailover, afterRestore } = world.plan.table.after;
  if (afterFailover === 'refuse' || afterRestore === 'refuse') return;
  for (const process of world.processes) {
    for (const event of process.calls(name)?.events ?? []) {
      if (event.type !== 'refill-failed' || !isIdError(event.error)) continue;
      const { code, message } = event.error;
      if (code === 'ERR_IDS_REGRESSED') violated('regression', `process ${process.number}: ${message}`);
    }
  }
}
