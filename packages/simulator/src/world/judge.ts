import { isIdError } from '@ids/core';
import type { Violated } from './base-world.js';
import { checkDeadlines, checkLevels, historyOf } from './checks.js';
import type { StrategyName } from './plan.js';
import type { World } from './world.js';

/** Checks every guarantee of a sequence. */
export function judge(name: string, world: World, violated: Violated): void {
  const { plan, processes } = world;
  const history = historyOf(processes, name);
  checkLevels(history, ['unique', 'increasing', 'fifo'], violated);
  const checkOrder = (strategy: StrategyName): void => {
    const some = processes.filter((process) => process.strategyFor(name) === strategy);
    checkLevels({ ...historyOf(some, name), unsettled: [] }, ['real-time'], violated);
  };
  // While two primaries answer, nobody who meets only one of them can know what the other one issues.
  if (!world.table.forked) checkOrder('ordered');
  // The hash in Redis keeps the order in split brain only with confirmation by all replicas.
  const ordered = !world.table.forked && (!plan.splitBrain || plan.options.waitReplicas > 0);
  if (ordered) for (const strategy of ['redis', 'redis aside'] as const) checkOrder(strategy);
  checkDeadlines(history, plan.options.deadlineMs, processes, violated);
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
