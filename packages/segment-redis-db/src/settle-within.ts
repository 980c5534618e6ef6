/**
 * The limit is counted in this many parts: enough turns of the event loop for two replies, each
 * read in a turn of its own.
 */
const PARTS = 4;

/**
 * Settles as `promise` does, or rejects with `late()` after `ms` milliseconds. Used around every Redis call:
 * under some ioredis settings a call whose connection broke never settles by itself. Leaner than `within` of
 * @ids/segment, which also aborts the work: a command that was sent cannot be taken back.
 *
 * Only time in which this process could read the reply counts. After a long turn of the event loop the timer
 * fires before the socket is read, although the reply arrived long ago; and when timers take long, one fires
 * right after another. So each part of the limit ends in the check phase, behind a poll phase that reads what
 * has arrived, and a turn counts as one part at most.
 */
export function settleWithin<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let parts = 0;
    let timer: NodeJS.Timeout | undefined;
    let afterPoll: NodeJS.Immediate | undefined;
    const wait = (): void => {
      timer = setTimeout(() => {
        afterPoll = setImmediate(count);
      }, ms / PARTS);
    };
    const count = (): void => {
      parts += 1;
      if (parts === PARTS) reject(late());
      else wait();
    };
    const stop = (): void => {
      clearTimeout(timer);
      clearImmediate(afterPoll);
    };
    wait();
    promise.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error) => {
        stop();
        reject(error);
      },
    );
  });
}
