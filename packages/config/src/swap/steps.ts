import type { SwapFinding, SwapOptions, SwapSide, SwapStep } from './facts.js';
import type { SwapRange } from './findings.js';

/**
 * The steps of a swap. Each can be taken while the old processes run, unless an earlier step stops them, and
 * each can be repeated. `ofColumn`: the findings on the column that gets the new ids.
 */
export function stepsOf(
  from: SwapSide,
  to: SwapSide,
  { mode, floor, ms, ofColumn }: SwapRange & { readonly ofColumn: readonly SwapFinding[] },
  { stopped = false, inOrder = false }: SwapOptions,
): SwapStep[] {
  if (mode === 'never') return [];
  if (mode === 'stop' || (inOrder && !stopped)) return [{ do: 'stop' }, { do: 'again' }];
  if (mode === 'wait' && from.worker === undefined) return [{ do: 'wait', ms: ms ?? 0 }, { do: 'again' }];
  const beside = !stopped;
  const steps: SwapStep[] = [];
  if (to.missing !== undefined) steps.push({ do: 'create', what: to.missing });
  if (floor !== undefined) steps.push({ do: 'raise', floor });
  // The ids still in Redis are below the floor. If both use one sequence they are unique, but below those
  // issued since.
  const isBelow = to.sequence === from.sequence ? inOrder : stopped || floor !== undefined;
  if (to.hash !== undefined && isBelow) steps.push({ do: 'forget', key: to.hash });
  // With another prefix, what the old one left would be issued by whoever still has it, below newer ids.
  if (stopped && to.sequence === from.sequence && to.hash !== undefined && isOther(from.hash, to.hash))
    steps.push({ do: 'forget', key: from.hash });
  if (mode === 'wait') steps.push({ do: 'wait', ms: ms ?? 0 });
  for (const { verdict, from: what, advice } of ofColumn)
    if (verdict === 'danger') steps.push({ do: 'column', what: `${what}: ${advice}` });
  steps.push({ do: 'deploy', beside });
  if (mode === 'room' && floor !== undefined) steps.push({ do: 'check', floor });
  steps.push({ do: 'back', how: beside ? 'as-before' : 'by-plan' });
  return steps;
}

function isOther(hash: string | undefined, than: string): hash is string {
  return hash !== undefined && hash !== than;
}

/** Reports that old and new processes together do not issue ids in real-time order, if each side does. */
export function orderFinding(from: SwapSide, to: SwapSide, { mode }: SwapRange): SwapFinding[] {
  if (to.sequence === from.sequence && to.hash === from.hash) return [];
  const inRealTime = [from, to].every(({ guarantees }) => guarantees.order.cluster === 'real-time');
  if (!inRealTime || (mode !== 'free' && mode !== 'room')) return [];
  const advice =
    'while both run, and after the swap as long as Redis holds older ids, ids are not in the order of their requests: if that matters, plan with --in-order';
  const [before, after] = ['real-time', 'not across the swap'];
  return [{ about: 'order in the swap', verdict: 'change', from: before, to: after, advice }];
}
