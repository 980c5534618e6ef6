import type { SegmentSource } from '@ids/segment';
import { createSegmentInprocGenerator } from '@ids/segment-inproc';
import { createIdsHandler, type IdsHandlerOptions } from '../../src/handler.js';
import { listen } from '../../src/process/listener.js';
import type { ServedGenerator } from '../../src/served.js';
import type { SequenceTable } from './sequence.js';

/** A handler that this process serves; generators can be added and removed while it runs. */
export interface ServedHere extends AsyncDisposable {
  readonly url: string;
  readonly generators: Record<string, ServedGenerator>;
  /** Serves a sequence of a table in real-time order, or each of its ids from memory. */
  serveSequence(table: SequenceTable, name: string, order?: 'real-time' | 'increasing'): Promise<void>;
  /** Closes all generators, and serves none. */
  clear(): Promise<void>;
}

export async function serveHere(options: Omit<IdsHandlerOptions, 'generators'> = {}): Promise<ServedHere> {
  const generators: Record<string, ServedGenerator> = {};
  const sources: SegmentSource[] = [];
  const listener = await listen(createIdsHandler({ ...options, generators }), { host: '127.0.0.1', port: 0 });
  const { url } = listener;
  const clear = async (): Promise<void> => {
    const open = [...Object.values(generators).map(({ generator }) => generator), ...sources.splice(0)];
    for (const name of Object.keys(generators)) delete generators[name];
    await Promise.all(open.map((one) => one.close()));
  };
  return {
    url,
    generators,
    async serveSequence({ database, table, openSource }, name, order = 'real-time') {
      const source = await openSource();
      sources.push(source);
      const { realm } = await source.describe(name);
      const options = { database, table, name };
      const generator =
        order === 'real-time'
          ? await createSegmentInprocGenerator({ ...options, order })
          : await createSegmentInprocGenerator(options);
      const lease = order === 'increasing' ? { source, sequence: name } : undefined;
      generators[name] = { generator, realm, lease };
    },
    clear,
    async [Symbol.asyncDispose]() {
      await clear();
      await listener.drain(0, clear);
    },
  };
}
