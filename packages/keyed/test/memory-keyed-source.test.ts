import { runKeyedSourceContract } from '@ids/conformance';
import type { SequenceGroup } from '@ids/segment';
import { describe, it } from 'vitest';
import { MemoryKeyedSource } from '../src/index.js';

runKeyedSourceContract(
  {
    name: 'MemoryKeyedSource',
    open: async () => {
      const source = new MemoryKeyedSource();
      const createFamily = async (name: string, startAfter: number, group?: SequenceGroup) =>
        source.createSequence(name, { startAfter, group });
      return { source, createFamily };
    },
    // What happens at once needs no lock.
    cannotLock: true,
  },
  { describe, it },
);
