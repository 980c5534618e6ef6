import { createGpidGenerator, Gpid, type GpidInit } from '@ids/gpid';
import { subjectOf } from '../bench-case.js';
import { memoryControl } from '../controls/memory-controls.js';
import type { PackageClaims } from './claim.js';
import { callsProbe } from './probes/calls-probe.js';
import { idsProbe } from './probes/ids-probe.js';

const PACKAGE = 'gpid';
const UUID = memoryControl('crypto.randomUUID');
const OPTIONS = { port: 8_000, address: '10.0.0.7' };

const NEXT = 'gpid nextSync';
const PARSE = 'Gpid.parse and read';
const UUID_PARSE = 'uuid.parse';

export const gpidClaims: PackageClaims = {
  claims: [
    {
      id: 'gpid/next-sync',
      package: PACKAGE,
      text: 'nextSync() is at least 4 times as fast as crypto.randomUUID()',
      case: { probe: NEXT, figure: 'raw' },
      control: { probe: UUID.name, figure: 'raw' },
      direction: 'at least',
      threshold: 4,
    },
    {
      id: 'gpid/next-sync-map-key',
      package: PACKAGE,
      text: 'nextSync() is at least 2 times as fast as crypto.randomUUID() when each id is looked up in a Map',
      case: { probe: NEXT, figure: 'asMapKey' },
      control: { probe: UUID.name, figure: 'asMapKey' },
      direction: 'at least',
      threshold: 2,
    },
    {
      id: 'gpid/parse',
      package: PACKAGE,
      text: 'Gpid.parse() with all four parts read is at least 0.75 times as fast as parse() of uuid',
      case: { probe: PARSE, figure: 'perCall' },
      control: { probe: UUID_PARSE, figure: 'perCall' },
      direction: 'at least',
      threshold: 0.75,
    },
  ],
  probes: [
    idsProbe({
      name: NEXT,
      format: createGpidGenerator(OPTIONS).guarantees,
      open: async () => subjectOf(createGpidGenerator(OPTIONS)),
    }),
    callsProbe({
      name: PARSE,
      async open() {
        // Gpids of different processes, so that no text is parsed twice in a burst.
        const texts = flat(
          Array.from({ length: 1_000 }, (_, i) => `10.0.0.7:8888:1307761900123456:${4_711 + i}`),
        );
        return {
          // A gpid cuts its parts out of the text when they are asked for: without that, half of the
          // work would not be measured.
          call: (index) => {
            const { ip, port, startTime, pid } = Gpid.parse(texts[index] as string);
            return { ip, port, startTime, pid };
          },
          problem: (outputs) =>
            outputs.every((parts, i) => String(Gpid.of(parts as GpidInit)) === texts[i])
              ? undefined
              : 'a gpid was not parsed to what it says',
        };
      },
    }),
    callsProbe({
      name: UUID_PARSE,
      async open() {
        const { parse, stringify, v4 } = await import('uuid');
        const texts = flat(Array.from({ length: 1_000 }, () => v4()));
        return {
          call: (index) => parse(texts[index] as string),
          problem: (outputs) =>
            outputs.every((bytes, i) => stringify(bytes as Uint8Array) === texts[i])
              ? undefined
              : 'a UUID was not parsed to what it says',
        };
      },
    }),
    idsProbe(UUID),
  ],
};

/**
 * The same texts as a network or a file gives them: in one piece, not as the concatenation that made them.
 */
function flat(texts: readonly string[]): readonly string[] {
  return JSON.parse(JSON.stringify(texts)) as string[];
}
