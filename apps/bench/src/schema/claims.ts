import * as v from 'valibot';
import { caseStatusSchema } from './case.js';
import { estimateSchema } from './figures.js';
import { byName, list, mark, number, object, oneOf, optional, text } from './words.js';

export const figureRefSchema = object('One figure of one probe. Times are nanoseconds per operation.', {
  probe: text(),
  figure: text(),
});
export type FigureRef = v.InferOutput<typeof figureRefSchema>;

const claimSchema = object("A sentence of a package's README about speed, and how to check it.", {
  id: text('`<package>/<what>`, unique.'),
  package: text('The folder of the package: a name for `--only`.'),
  text: text(),
  case: figureRefSchema,
  control: optional(
    figureRefSchema,
    'Measured in the same blocks; without a control, the figure itself is compared with the threshold.',
  ),
  direction: oneOf(
    ['at least', 'at most'],
    '`at least`: the time of the control over that of the case: 3 is three times as fast. `at most`: the time ' +
      'of the case over that of the control: 2 is twice the cost.',
  ),
  threshold: number(),
  always: mark('Every block must meet it, not only the median: for what must never happen.'),
});
export type Claim = v.InferOutput<typeof claimSchema>;

export const claimVerdictSchema = oneOf(
  ['holds', 'misses', 'unclear', 'not comparable'],
  '`holds`: the whole interval meets the claim. `misses`: the whole interval fails it. `unclear`: the ' +
    'threshold lies within the interval. `not comparable`: the machine was too busy, or there are no figures; ' +
    'see `reason`.',
);
export type ClaimVerdict = v.InferOutput<typeof claimVerdictSchema>;

export const claimResultSchema = object('A claim, and whether it holds.', {
  ...claimSchema.entries,
  verdict: claimVerdictSchema,
  reason: optional(text()),
  measured: optional(
    estimateSchema,
    'The ratio, or the figure itself without a control; absent if nothing was measured.',
  ),
});
export type ClaimResult = v.InferOutput<typeof claimResultSchema>;

export const figuresSchema = byName(
  number(),
  'What a probe measured in one process, by name. Times are nanoseconds per operation.',
);
export type Figures = v.InferOutput<typeof figuresSchema>;

export const probeResultSchema = object('What one probe measured.', {
  name: text(),
  status: caseStatusSchema,
  reason: optional(text('Why it is not `ok`.')),
  exact: mark('Its figures are the same in every process, so one block is enough.'),
  blocks: list(v.nullable(figuresSchema), 'By block; `null` if the block was not finished.'),
});
export type ProbeResult = v.InferOutput<typeof probeResultSchema>;
