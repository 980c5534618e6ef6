import { setImmediate } from 'node:timers/promises';
import { checkHistory, emptyHistory, type History, recordCalls } from '@ids/conformance';
import { IdError } from '@ids/core';
import type { ReserveOptions, Segment, SegmentSource, SequenceState } from '@ids/segment';
import { expect, it } from 'vitest';
import { createSegmentInprocGenerator } from '../src/index.js';

/** What the central store knows: the last id reserved, or nothing. */
interface Row {
  maxId: number | undefined;
}

/** A store over a row that a test can reach, sound; the mutants differ from it in one thing each. */
class Store implements SegmentSource {
  protected readonly row: Row;

  constructor(row: Row) {
    this.row = row;
  }

  async describe(): Promise<SequenceState> {
    return { realm: 'test', maxId: this.row.maxId ?? 0 };
  }

  async reserve(_name: string, size: number, { floor = 0 }: ReserveOptions = {}): Promise<Segment> {
    return this.write(Math.max(this.read(), floor), size);
  }

  async close(): Promise<void> {}

  protected read(): number {
    if (this.row.maxId === undefined) throw new IdError('ERR_IDS_CONFIG', 'the row is gone');
    return this.row.maxId;
  }

  protected write(above: number, size: number): Segment {
    this.row.maxId = above + size;
    return { low: above + 1, high: above + size };
  }
}

/** SELECT, then UPDATE to the sum, as two statements. */
class ReadThenAdd extends Store {
  override async reserve(_name: string, size: number): Promise<Segment> {
    const maxId = this.read();
    await setImmediate();
    return this.write(maxId, size);
  }
}

/** A missing row is taken for a new one. */
class RestartsAtOne extends Store {
  protected override read(): number {
    return this.row.maxId ?? 0;
  }
}

/** Every fifth UPDATE ran in a transaction that was rolled back after its segment was used. */
class RolledBack extends Store {
  #transactions = 0;

  protected override write(above: number, size: number): Segment {
    const before = this.row.maxId;
    const segment = super.write(above, size);
    if (++this.#transactions % 5 === 0) this.row.maxId = before;
    return segment;
  }
}

/** Answers above the floor, and leaves the row where it went back to. */
class HealsTheAnswerOnly extends Store {
  protected override write(above: number, size: number): Segment {
    const maxId = this.read();
    const segment = super.write(above, size);
    this.row.maxId = maxId + size;
    return segment;
  }
}

type StoreClass = new (row: Row) => Store;

interface Scenario {
  readonly Kind: StoreClass;
  /** How many processes give ids at the same time; as many others follow them. */
  readonly processes: number;
  /** Strikes the row while ids are given. */
  readonly during?: (row: Row) => void;
  /** Strikes the row when the first processes are gone. */
  readonly between?: (row: Row) => void;
}

async function record({ Kind, processes, during, between }: Scenario): Promise<History> {
  const history = emptyHistory();
  const row: Row = { maxId: 0 };
  for (let started = 0; started < 2 * processes; started += processes) {
    // Few of those that follow: where the row is gone, each call is refused after a pause.
    const plan = { callers: 4, perCaller: started === 0 ? 100 : 5, tolerateErrors: true };
    const generators = await Promise.all(Array.from({ length: processes }, () => open(Kind, row)));
    const recording = Promise.all(
      generators.map((generator, i) =>
        recordCalls(generator, history, { ...plan, process: started + i + 1 }),
      ),
    );
    await setImmediate();
    if (started === 0) during?.(row);
    await recording;
    await Promise.all(generators.map((generator) => generator.close()));
    if (started === 0) between?.(row);
  }
  return history;
}

function open(Kind: StoreClass, row: Row) {
  const source = new Kind(row);
  return createSegmentInprocGenerator({ name: 'order', source, minStep: 7, maxStep: 7 });
}

async function check(scenario: Scenario) {
  return checkHistory(await record(scenario), { levels: ['unique', 'increasing', 'fifo'] });
}

const vanish = (row: Row): void => {
  row.maxId = undefined;
};
const goBack = (row: Row): void => {
  row.maxId = 0;
};

it.each([
  { name: 'that reads, then adds', Kind: ReadThenAdd, processes: 2 },
  { name: 'that restarts at 1 when its row is missing', Kind: RestartsAtOne, processes: 2, between: vanish },
  { name: 'whose transaction is rolled back', Kind: RolledBack, processes: 2 },
  { name: 'that is raised in its answer only', Kind: HealsTheAnswerOnly, processes: 1, during: goBack },
])('the kit finds ids given twice from a store $name, and none from a sound one', async (scenario) => {
  const sound = await check({ ...scenario, Kind: Store });
  expect(sound.messages).toEqual([]);
  expect(sound.ids).toBeGreaterThan(300);
  expect((await check(scenario)).counts.unique).toBeGreaterThan(0);
});
