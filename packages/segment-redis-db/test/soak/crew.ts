import { emptyHistory, type History, type Recording, startProcesses } from '@ids/conformance';
import type { World } from './world.js';

const MODULE = new URL('../support/subject.ts', import.meta.url);

/** The processes of one round, all at work on the same sequence. */
export class Crew {
  readonly #world: World;
  readonly #callers: number;
  readonly #members: Recording[] = [];
  /** Those that were not killed. */
  readonly #alive: Recording[] = [];

  private constructor(world: World, callers: number) {
    this.#world = world;
    this.#callers = callers;
  }

  static async start(world: World, processes: number, callers: number): Promise<Crew> {
    const crew = new Crew(world, callers);
    await Promise.all(Array.from({ length: processes }, (_, number) => crew.#join(number)));
    return crew;
  }

  get size(): number {
    return this.#alive.length;
  }

  async #join(number: number): Promise<void> {
    const recording = await startProcesses({
      module: MODULE,
      context: this.#world.context(number),
      processes: 1,
      callers: this.#callers,
      tolerateErrors: true,
    });
    this.#members.push(recording);
    this.#alive.push(recording);
  }

  /** Kills the `index`-th process and puts a new one in its place. */
  async replace(index: number): Promise<void> {
    const [victim] = this.#alive.splice(index, 1);
    victim?.kill(1, 'SIGKILL');
    await this.#join(index);
  }

  /**
   * Kills all of them, lets `meanwhile` happen, and puts new ones in their places, which remember nothing.
   */
  async replaceAll(meanwhile: () => Promise<void>): Promise<void> {
    const victims = this.#alive.splice(0);
    for (const victim of victims) victim.kill(1, 'SIGKILL');
    await meanwhile();
    await Promise.all(victims.map((_, number) => this.#join(number)));
  }

  signal(index: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#alive[index]?.kill(1, signal);
  }

  /** Ends all of them and returns what they did as one history, in which each has a number of its own. */
  async stop(): Promise<History> {
    const history = emptyHistory();
    const parts = await Promise.all(
      this.#members.map((member) => (this.#alive.includes(member) ? member.stop() : member.history)),
    );
    parts.forEach((part, index) => {
      const process = index + 1;
      for (const record of part.records) history.records.push({ ...record, process });
      for (const failure of part.failures) history.failures.push({ ...failure, process });
      for (const call of part.unsettled) history.unsettled.push({ ...call, process });
    });
    return history;
  }
}
