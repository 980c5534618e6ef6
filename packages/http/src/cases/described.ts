import type { DescribedGenerator, DescribeResponse, WireGuarantees } from '../wire.js';

const NUMBERS: WireGuarantees = {
  unique: 'cluster',
  order: { process: 'increasing', cluster: 'none' },
  gaps: 'on-restart',
  sync: true,
  idType: 'number',
  text: {
    pattern: '^[1-9][0-9]{0,18}$',
    alphabet: '0123456789',
    minLength: 1,
    maxLength: 19,
    sortable: false,
  },
  backends: ['sql'],
  discloses: ['volume'],
};

const BY_KEY: WireGuarantees = {
  ...NUMBERS,
  within: 'key',
  order: { process: 'increasing', cluster: 'real-time' },
  sync: false,
  text: { ...NUMBERS.text, pattern: '^[1-9][0-9]{0,15}$', maxLength: 16 },
};

/** What the scripted server says of a generator, whichever it is asked for. */
export function describedAs(name: string | null): DescribeResponse {
  const described: DescribedGenerator = {
    name: name ?? 'order',
    strategy: 'segment-inproc',
    realm: 'r1',
    guarantees: name === 'message' ? BY_KEY : NUMBERS,
    health: { status: 'ok' },
    maxIdsPerRequest: 10_000,
    maxIdsPerLease: 1_000_000,
  };
  return { generators: [described] };
}
