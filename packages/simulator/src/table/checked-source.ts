import type { ReservedSegment, ReserveOptions, SegmentSource } from '@ids/segment';
import { isWithin } from '@ids/store';

/**
 * Checks the answers of a source against the contract of `SegmentSource`; `broken` receives the violations.
 * `requests` holds the options of each reservation by the signal that is passed to the server.
 */
export function checkedSource(
  source: SegmentSource,
  broken: (problem: string) => void,
  requests: WeakMap<AbortSignal, ReserveOptions>,
): SegmentSource {
  const check = (name: string, segment: ReservedSegment, options: ReserveOptions): void => {
    const { floor, expectedMaxId, within } = options;
    const { low, high, newReign, origin } = segment;
    const what = `${low}..${high} of ${name}`;
    if (floor !== undefined && low <= floor) broken(`${what} was reserved, not above the floor ${floor}`);
    // Without a new reign, the row is left in the one that it was reserved in.
    if (origin !== undefined && newReign === undefined && !isWithin(origin, within))
      broken(`${what} was reserved in ${origin.reigns?.[0]}, and not in ${within?.reigns?.[0]} as expected`);
    // This bounds the ids that nobody uses: of all reservations that expect the same value, one succeeds.
    const below = low - 1 - (newReign?.skipped ?? 0);
    if (expectedMaxId !== undefined && below !== expectedMaxId)
      broken(`${what} was reserved with the sequence at ${below}, not at ${expectedMaxId} as expected`);
  };
  return {
    describe: (name, options) => source.describe(name, options),
    reserve: async (name, size, options) => {
      if (options?.signal !== undefined) requests.set(options.signal, options);
      const segment = await source.reserve(name, size, options);
      check(name, segment, options ?? {});
      return segment;
    },
    reinstate: async (name, options) => source.reinstate?.(name, options),
    close: () => source.close(),
  };
}
