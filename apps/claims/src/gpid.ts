import { memoryControl, subjectOf } from '@ids/bench/measure';
import { createGpidGenerator, Gpid, type GpidInit } from '@ids/gpid';
import { claimsOf, type StatedClaim } from './claim.js';
import { callsProbe, inOnePiece } from './probes/calls.js';
import { idsProbe } from './probes/ids.js';

const OPTIONS = { port: 8_000, address: '10.0.0.7' };

const next = idsProbe({
  name: 'gpid nextSync',
  format: createGpidGenerator(OPTIONS).guarantees,
  open: async () => subjectOf(createGpidGenerator(OPTIONS)),
});

const uuid = idsProbe(memoryControl('crypto.randomUUID'));

const parse = callsProbe({
  name: 'Gpid.parse and read',
  async open() {
    // Gpids of different processes, so that no string is parsed twice in a burst.
    const texts = inOnePiece(
      Array.from({ length: 1_000 }, (_, i) => `10.0.0.7:8888:1307761900123456:${4_711 + i}`),
    );
    return {
      // A gpid extracts its parts lazily: without reading them, half of the work would not be measured.
      call: (index) => {
        const { ip, port, startTime, pid } = Gpid.parse(texts[index] as string);
        return { ip, port, startTime, pid };
      },
      problem: (outputs) =>
        outputs.every((parts, i) => String(Gpid.of(parts as GpidInit)) === texts[i])
          ? undefined
          : 'a gpid was parsed wrong',
    };
  },
});

const uuidParse = callsProbe({
  name: 'uuid.parse',
  async open() {
    const uuids = await import('uuid');
    const texts = inOnePiece(Array.from({ length: 1_000 }, () => uuids.v4()));
    return {
      call: (index) => uuids.parse(texts[index] as string),
      problem: (outputs) =>
        outputs.every((bytes, i) => uuids.stringify(bytes as Uint8Array) === texts[i])
          ? undefined
          : 'a UUID was parsed wrong',
    };
  },
});

const { faster } = claimsOf('gpid');

export const gpidClaims: readonly StatedClaim[] = [
  faster(
    'next-sync',
    4,
    [next, 'raw'],
    [uuid, 'raw'],
    'nextSync() is at least 4 times as fast as crypto.randomUUID()',
  ),
  faster(
    'next-sync-map-key',
    2,
    [next, 'asMapKey'],
    [uuid, 'asMapKey'],
    'nextSync() is at least 2 times as fast as crypto.randomUUID() when each id is looked up in a Map',
  ),
  faster(
    'parse',
    0.75,
    [parse, 'perCall'],
    [uuidParse, 'perCall'],
    'Gpid.parse() with all four parts read is at least 0.75 times as fast as parse() of uuid',
  ),
];
