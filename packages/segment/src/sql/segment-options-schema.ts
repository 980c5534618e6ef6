import * as v from 'valibot';
import { dispenserOptions, stepProblem } from '../dispenser-options.js';
import { sourceProblem } from './open-source.js';
import { sourceOptions } from './source-options.js';

/** The schema of a strategy that dispenses from segments: the options all of them have, and `own` ones. */
export function segmentOptionsSchema<const Own extends v.ObjectEntries>(own: Own) {
  const entries = { ...dispenserOptions, ...sourceOptions, ...own };
  type Shared = v.InferOutput<v.ObjectSchema<typeof dispenserOptions & typeof sourceOptions, undefined>>;
  const problem = (options: unknown) => stepProblem(options as Shared) ?? sourceProblem(options as Shared);
  return v.pipe(
    v.object(entries),
    v.check(
      (options) => problem(options) === undefined,
      ({ input }) => problem(input) ?? '',
    ),
  );
}
