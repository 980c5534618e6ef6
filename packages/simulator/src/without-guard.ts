import type { PipelineLike, RedisLike } from '@ids/segment-redis-db';
import type { Guard } from './guards.js';
import { sha1Of } from './redis/script-engine.js';
import { type ScriptName, scriptOf } from './redis/watch-scripts.js';
import type { WrapRedis, Wraps } from './world/base-world.js';

/**
 * Removes the guard from each script on its way to Redis, and from each statement on its way to the table. A
 * pattern that is not found means a broken harness, which `unused` reports: the guard would still be on, and
 * the search would find nothing.
 */
export function withoutGuard({
  name,
  out = [],
  changeOptions,
  wrapHealth,
  changeAnswer,
  confirmation,
}: Guard): {
  readonly wraps: () => Pick<Required<Wraps>, 'wrap' | 'wrapTable'> & Wraps;
  /** A message about a pattern, or a confirmation, that never occurred; undefined if the guard was off. */
  readonly unused: () => string | undefined;
} {
  const missing = new Set(out);
  const changed = new Map<string, string>();
  const change = (text: string): string => {
    let result = changed.get(text);
    if (result !== undefined) return result;
    result = text;
    for (const replacement of out) {
      if (!result.includes(replacement[0])) continue;
      missing.delete(replacement);
      result = result.replaceAll(...replacement);
    }
    changed.set(text, result);
    return result;
  };
  let falselyConfirmed = confirmation === undefined;
  const confirm: ConfirmedBy = (script, wanted, got) => {
    const { of, enough } = confirmation ?? { of: [], enough: 0 };
    if (script === undefined || !of.includes(script) || got >= wanted || got < enough) return got;
    falselyConfirmed = true;
    return wanted;
  };
  return {
    wraps: () => ({
      wrap: changeRedis(change, confirm),
      wrapTable: (executor) => ({
        execute: (text, values, signal) => executor.execute(change(text), values, signal),
        close: () => executor.close(),
      }),
      changeOptions,
      wrapHealth,
      changeAnswer,
    }),
    unused: () => {
      const [first] = missing;
      const problem = `the guard "${name}" was not switched off: nothing that ran`;
      if (first !== undefined) return `${problem} has ${JSON.stringify(first[0])}`;
      return falselyConfirmed ? undefined : `${problem} was confirmed by too few replicas`;
    },
  };
}

/** How many replicas confirmed, as the client is to hear it. */
type ConfirmedBy = (script: ScriptName | undefined, wanted: number, got: number) => number;

/**
 * What it learns about scripts is valid for one run: a run that knew it from the start would have another
 * history.
 */
function changeRedis(change: (text: string) => string, confirm: ConfirmedBy): WrapRedis {
  const shas = new Map<string, string>();
  const sha = (original: string): string => shas.get(original) ?? original;
  const changeScript = (text: string): string => {
    const result = change(text);
    shas.set(sha1Of(text), sha1Of(result));
    return result;
  };
  return (client) => ({
    evalsha: (sha1, ...args) => client.evalsha(sha(sha1), ...args),
    eval: (text, ...args) => client.eval(changeScript(text), ...args),
    pipeline: () => changePipeline(client.pipeline(), { sha, changeScript, confirm }),
  });
}

interface PipelineChanges {
  readonly sha: (original: string) => string;
  readonly changeScript: (text: string) => string;
  readonly confirm: ConfirmedBy;
  /** The script of the pipeline. */
  readonly script?: ScriptName | undefined;
  /** How many replicas its `WAIT` wants. */
  readonly wanted?: number;
}

function changePipeline(pipeline: ReturnType<RedisLike['pipeline']>, changes: PipelineChanges): PipelineLike {
  const { sha, changeScript, confirm, script, wanted = 0 } = changes;
  const and = (next: PipelineLike, more: Partial<PipelineChanges>) =>
    changePipeline(next, { ...changes, ...more });
  const runs = ([keys, ...args]: readonly [number, ...unknown[]]) => ({
    script: scriptOf(keys, args.length - keys),
  });
  return {
    evalsha: (sha1, ...args) => and(pipeline.evalsha(sha(sha1), ...args), runs(args)),
    eval: (text, ...args) => and(pipeline.eval(changeScript(text), ...args), runs(args)),
    wait: (replicas, ms) => and(pipeline.wait(replicas, ms), { wanted: replicas }),
    exec: async () => {
      const results = await pipeline.exec();
      const waited = results?.[1];
      if (waited !== undefined && waited[0] === null) waited[1] = confirm(script, wanted, Number(waited[1]));
      return results;
    },
  };
}
