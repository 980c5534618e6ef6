/**
 * Settles as `promise` does, or rejects with `late()` after `ms` milliseconds. Stands around every Redis call: under some
 * ioredis settings a call whose connection broke never settles by itself. Leaner than `within` of @ids/segment, which also
 * tells the work to stop: a command that was sent cannot be called back.
 */
export function settleWithin<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    promise.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
