import type { ReservedSegment, ReserveOptions, SegmentSource } from '@ids/segment';

/**
 * A source whose answers are held against the contract of `SegmentSource`; `broken` hears where they do not
 * keep it. What was asked for is in `requests`, by the signal that goes with it to the server.
 */
export function checkedSource(
  source: SegmentSource,
  broken: (problem: string) => void,
  requests: WeakMap<AbortSignal, ReserveOptions>,
): SegmentSource {
  const check = (name: string, segment: ReservedSegment, { floor, expectedMaxId }: ReserveOptions): void => {
    const { low, high, newReign } = segment;
    const what = `${low}..${high} of ${name}`;
    if (floor !== undefined && low <= floor) broken(`${what} was reserved, not above the floor ${floor}`);
    // What bounds the ids that nobody uses: of all reservations that expect the same, one is made.
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
    close: () => source.close(),
  };
}
