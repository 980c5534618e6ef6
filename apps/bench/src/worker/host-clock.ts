/**
 * Sets all clocks of this process back, as those of another host may be; the machine keeps its own. Code that
 * took a clock before reads that one. `seconds` is a whole number.
 */
export function setClocksBack(seconds: number): void {
  setWallClockBack(seconds);
  Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin - 1_000 * seconds });
  // Counts from the start of the host, which was at another time.
  const { hrtime } = process;
  const { bigint } = hrtime;
  const late = (since?: readonly [number, number]): [number, number] => {
    if (since !== undefined) return hrtime([since[0] + seconds, since[1]]);
    const [now, nanoseconds] = hrtime();
    return [now - seconds, nanoseconds];
  };
  process.hrtime = Object.assign(late, { bigint: () => bigint() - BigInt(seconds) * 1_000_000_000n });
}

/** Only the clock that shows the time of day. */
export function setWallClockBack(seconds: number): void {
  const { now } = Date;
  Date.now = () => now() - 1_000 * seconds;
  globalThis.Date = new Proxy(Date, {
    construct: (date, args, target) =>
      Reflect.construct(date, args.length === 0 ? [date.now()] : args, target) as Date,
  });
}
