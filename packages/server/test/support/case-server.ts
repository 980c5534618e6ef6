import { createHash } from 'node:crypto';
import { type Guarantees, IdError } from '@ids/core';
import { defineGuarantees, memoryGenerator } from '@ids/core/strategy';
import { MemoryKeyedSource } from '@ids/keyed';
import { LAST_ID, MemorySegmentSource, type ReserveOptions } from '@ids/segment';
import { createKeyedSegmentInprocGenerator, createSegmentInprocGenerator } from '@ids/segment-inproc/edge';
import type { Client } from '../../src/access.js';
import type { IdsHandlerOptions } from '../../src/handler.js';
import type { ServedGenerator } from '../../src/served.js';

const DAY_MS = 86_400_000;

/** Its ranges are of a day. */
class DailySource extends MemorySegmentSource {
  override async reserve(name: string, size: number, options?: ReserveOptions) {
    return { ...(await super.reserve(name, size, options)), expiresAt: performance.now() + DAY_MS };
  }
}

/** Nobody answers. */
class StuckSource extends MemorySegmentSource {
  override reserve(): Promise<never> {
    return new Promise(() => undefined);
  }
}

const GUARANTEES: Guarantees = defineGuarantees({
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'none' },
  gaps: 'on-restart',
  sync: true,
  idType: 'bigint',
  text: { pattern: /^[1-9]\d{0,18}$/, alphabet: '0123456789', minLength: 1, maxLength: 19, sortable: false },
  backends: [],
  discloses: ['volume'],
});

function inMemory(issue: () => bigint): ServedGenerator {
  return { generator: memoryGenerator({ strategy: 'cases', guarantees: GUARANTEES, issue }) };
}

async function ofSequence(name: string, source: MemorySegmentSource): Promise<ServedGenerator> {
  const { realm } = await source.describe(name);
  const generator = await createSegmentInprocGenerator({ name, source });
  return { generator, realm, lease: { source, sequence: name } };
}

function client(name: string, more: Partial<Client>): Client {
  const tokens = [createHash('sha256').update(`token-of-${name}`).digest('hex')];
  return { name, tokens, rights: ['issue', 'lease'], ...more };
}

/** The generators and clients that the cases for servers need; close the generators. */
export async function caseServer(): Promise<Required<Pick<IdsHandlerOptions, 'generators' | 'clients'>>> {
  const message = await createKeyedSegmentInprocGenerator({
    name: 'message',
    source: new MemoryKeyedSource({ message: 0 }),
  });
  let large = 2n ** 53n;
  return {
    generators: {
      order: await ofSequence('order', new MemorySegmentSource({ order: {} })),
      daily: await ofSequence('daily', new DailySource({ daily: {} })),
      spent: await ofSequence('spent', new MemorySegmentSource({ spent: { startAfter: LAST_ID } })),
      stuck: await ofSequence('stuck', new StuckSource({ stuck: {} })),
      message: { generator: message, realm: 'that of the messages' },
      large: inMemory(() => ++large),
      down: inMemory(() => {
        throw new IdError('ERR_IDS_UNAVAILABLE', 'connect ECONNREFUSED db.internal:5432');
      }),
    },
    clients: [
      client('shop', {}),
      client('reader', { rights: ['read'] }),
      client('small', { rights: ['issue'], generators: ['order'], idsPerMinute: 10 }),
    ],
  };
}
