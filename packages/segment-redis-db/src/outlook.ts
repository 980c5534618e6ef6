import { ExhaustionForecast, UsageRate } from '@ids/segment';

/**
 * How long ids last at the rate of all processes, from what Redis said with each take:
 * nothing is asked for it.
 */
export class Outlook {
  readonly #usage = new UsageRate(performance.now());
  readonly #forecast = new ExhaustionForecast();
  #left = 0;
  #highWaterMark = 0;
  /** Ids that all processes together were seen to use; what went while a segment came is not seen. */
  #used = 0;

  /** Notes what a take said: `left` ids in Redis, and the last id of the newest segment. */
  heard(left: number, highWaterMark: number): void {
    const now = performance.now();
    this.#used += Math.max(0, this.#left - left);
    this.#left = left;
    this.#usage.look(this.#used, now);
    if (highWaterMark <= this.#highWaterMark) return;
    this.#highWaterMark = highWaterMark;
    this.#forecast.note({ low: highWaterMark, high: highWaterMark }, now);
  }

  /** Ids per second; 0 while that is unknown. */
  get idsPerSecond(): number {
    return this.#usage.look(this.#used, performance.now());
  }

  /** When the last id of the range is reached; undefined before the second segment. */
  get exhaustedAt(): Date | undefined {
    return this.#forecast.at(performance.now());
  }
}
