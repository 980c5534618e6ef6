import type { SwapStep } from '@ids/config/swap';
import type { IdGenerator } from '@ids/core';
import { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { OwnTable } from './own-table.js';

/** Two processes of each generator: what one holds in memory, the other does not. */
const PROCESSES = 2;
/** How many ids each process issues while a step is taken, and while it is observed. */
const [DURING, AFTER] = [15, 300];

type ShownStep = SwapStep & { readonly text: string; readonly command?: string };

/** A swap under load, by the steps of its plan. */
export class FollowedSwap {
  /** As strings, in the order in which they came. */
  readonly ids: string[] = [];
  /** How many there were when the processes of a new generator were started. */
  readonly deployed: number[] = [];
  /** The steps that were taken, in short. */
  readonly taken: string[] = [];
  readonly #own: OwnTable;
  #running: IdGenerator[] = [];

  constructor(own: OwnTable) {
    this.#own = own;
  }

  /** How many ids came again. */
  get repeated(): number {
    return this.ids.length - new Set(this.ids).size;
  }

  /** Starts the processes of a generator, beside those that run. */
  async start(name: string): Promise<void> {
    const open = Array.from({ length: PROCESSES }, () => this.#own.open(name));
    this.#running.push(...(await Promise.all(open)));
  }

  /** Every process that runs issues this many ids, all at the same time, in calls of different sizes. */
  async issue(count: number): Promise<void> {
    const all = this.#running.map(async (generator) => {
      for (let left = count; left > 0; left -= 15) {
        for (const batch of [generator.nextBatch(8), generator.nextBatch(7)]) {
          for (const id of await batch) this.ids.push(String(id));
        }
      }
    });
    await Promise.all(all);
  }

  /** Follows the plans of `argv` to their end, word by word, with the processes of `from` running. */
  async follow(from: string, to: string, ...options: readonly string[]): Promise<void> {
    await this.start(from);
    await this.issue(AFTER);
    await this.#follow(from, to, ['swap', '--from', from, '--to', to, ...options]);
  }

  async stop(): Promise<void> {
    const ended = this.#running;
    this.#running = [];
    await Promise.all(ended.map((generator) => generator.close()));
  }

  async #follow(from: string, to: string, argv: readonly string[]): Promise<void> {
    const { stdout } = await this.#run(argv, '--json');
    for (const step of (JSON.parse(stdout) as { steps: ShownStep[] }).steps) {
      this.taken.push(step.do);
      await Promise.all([this.#take(step, from, to), this.issue(DURING)]);
    }
  }

  async #take(step: ShownStep, from: string, to: string): Promise<void> {
    const { command = '' } = step;
    if (step.do === 'stop') await this.stop();
    if (step.do === 'again') await this.#follow(from, to, wordsOf(command));
    if (step.do === 'create' || step.do === 'raise') await this.#run(wordsOf(command));
    if (step.do === 'wait') await new Promise((resolve) => setTimeout(resolve, step.ms));
    if (step.do === 'forget') await deleteKey(command);
    if (step.do === 'deploy') await this.#deploy(to);
    if (step.do === 'check') await this.#run(wordsOf(command));
    if (step.do === 'back') await this.#goBack(from, to, command);
  }

  async #deploy(to: string): Promise<void> {
    this.deployed.push(this.ids.length);
    await this.start(to);
    await this.issue(AFTER);
  }

  /** Once: the way back from the way back is the first swap again. */
  async #goBack(from: string, to: string, command: string): Promise<void> {
    if (this.taken.filter((what) => what === 'back').length > 1) return;
    if (command !== '') return this.#follow(to, from, wordsOf(command));
    await this.start(from);
    await this.issue(AFTER);
  }

  async #run(argv: readonly string[], ...more: readonly string[]) {
    const ran = await this.#own.ids(...argv, ...more);
    expect(ran, argv.join(' ')).toMatchObject({ code: 0 });
    return ran;
  }
}

function wordsOf(command: string): string[] {
  return command.replace('npx --no -- ids ', '').split(' ');
}

async function deleteKey(command: string): Promise<void> {
  const printed = /^redis-cli -h '(.*)' -p (\d+) -n (\d+) DEL '(.*)'$/;
  const [, host = '', port, db, key = ''] = printed.exec(command) ?? [];
  const redis = new Redis(Number(port), host, { db: Number(db) });
  await redis.del(key);
  redis.disconnect();
}
