type Json = Readonly<Record<string, unknown>>;

const WITHHELD = 'this result is of an older version, which also recommended what the run had not proven';

/**
 * A result of version 1 as one of version 2, without what meant something else. Its open loops had the median
 * of the percentiles of blocks, which hid stalls; and it recommended strategies whose latency, rate or order
 * was not proven. What is not of version 1 either is left for the schema to refuse.
 */
export function fromVersion1(result: object): Json {
  const { kept, ...run } = result as Json;
  return { ...upgraded(run), ...(kept !== undefined && { kept: each(kept, upgraded) }), schemaVersion: 2 };
}

function upgraded(run: Json): Json {
  const { config: _config, ...others } = run;
  return {
    ...others,
    ...('cases' in run && { cases: each(run.cases, ({ openLoops: _open, atRate: _rate, ...one }) => one) }),
    ...('advice' in run && { advice: each(run.advice, withoutChoice) }),
  };
}

/** The fits stay, as the ranking of that run. */
function withoutChoice(advice: Json): Json {
  const { choice, config: _config, ...one } = advice;
  if (choice === undefined) return one;
  return { ...one, withheld: WITHHELD, sentences: [`No recommendation: ${WITHHELD}.`] };
}

function each(list: unknown, change: (one: Json) => Json): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((one: unknown) => (typeof one === 'object' && one !== null ? change(one as Json) : one));
}
