import * as v from 'valibot';

const MACHINE = '"hostname" or 6 hex digits';

/** Options of `createObjectIdGenerator` and of the strategy. Later ones may be added, none is required. */
export const objectIdOptions = v.pipe(
  v.object({
    /** `random`: today's MongoDB specification. `machine-pid`: the classic one, with host name and process id. */
    layout: v.optional(v.picklist(['random', 'machine-pid']), 'random'),
    /** At more than 2^24 ids a second: `borrow` dates ids up to 10 s ahead, `throw` up to 1 s, before they reject. */
    overflow: v.optional(v.picklist(['borrow', 'throw']), 'borrow'),
    /** For `machine-pid`: six hex digits, or `hostname` (the default) for the start of md5(hostname). */
    machine: v.optional(
      v.pipe(
        v.string(({ received }) => `expected ${MACHINE}, got ${received}`),
        v.regex(/^(?:hostname|[0-9a-fA-F]{6})$/, ({ received }) => `expected ${MACHINE}, got ${received}`),
        v.transform((machine) => machine.toLowerCase()),
      ),
    ),
  }),
  v.forward(
    v.check(
      ({ layout, machine }) => layout === 'machine-pid' || machine === undefined,
      'only for layout "machine-pid": the layout "random" holds no machine',
    ),
    ['machine'],
  ),
);

export type ObjectIdOptions = v.InferInput<typeof objectIdOptions>;
/** With the defaults filled in. */
export type ParsedObjectIdOptions = v.InferOutput<typeof objectIdOptions>;

export const objectIdOptionNames = Object.keys(objectIdOptions.pipe[0].entries);
