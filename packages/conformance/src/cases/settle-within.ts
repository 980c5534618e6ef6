/** Milliseconds that a case waits for calls which must settle. Far above what any strategy needs. */
const SETTLE_MS = 3_000;

/** As `Promise.allSettled`, with undefined for the promises that are still pending when the time is over. */
export async function settleWithin<T>(
  promises: readonly Promise<T>[],
): Promise<(PromiseSettledResult<T> | undefined)[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, SETTLE_MS, undefined);
  });
  const results = await Promise.all(
    promises.map((promise) => Promise.race([Promise.allSettled([promise]).then(([result]) => result), late])),
  );
  clearTimeout(timer);
  return results;
}
