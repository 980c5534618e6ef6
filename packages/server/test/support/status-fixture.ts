import type { Status } from '../../src/status-schema.js';

export type GeneratorStatus = Status['generators'][number];

const ago = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString();

/** Five minutes of a service with some traffic, the same each time. */
function recent(perStep: number): GeneratorStatus['recent'] {
  const ids = Array.from({ length: 60 }, (_, i) =>
    Math.round(perStep * (1 + 0.5 * Math.sin(i / 4) + ((i * 7) % 5) / 10)),
  );
  const refills = ids.map((_, i) => Number(i % 14 === 3));
  return { idsPerSecond: perStep / 5, stepSeconds: 5, ids, refills };
}

/** A generator that is well, unless `more` says something else. */
export function generatorStatus(name: string, more: Partial<GeneratorStatus> = {}): GeneratorStatus {
  return {
    name,
    strategy: 'segment-inproc',
    keyed: false,
    realm: '0d1f8c52-6e83-4b59-9f0c-8e3f2a4c7b10',
    health: { status: 'ok', remaining: 48_211, secondsLeft: 780, exhaustedAt: '2931-04-05T00:00:00.000Z' },
    issued: 1_284_511,
    leased: 250_000,
    refills: 31,
    refillFailures: 0,
    recent: recent(310),
    failures: [],
    clients: [
      { name: 'shop', issued: 1_284_511, leased: 0, at: ago(1) },
      { name: 'worker', issued: 0, leased: 250_000, at: ago(40), range: { low: 1_500_001, high: 1_510_000 } },
    ],
    ...more,
  };
}

/** The database does not answer: ids come from memory for a while. */
export function degraded(name: string): GeneratorStatus {
  return generatorStatus(name, {
    health: {
      status: 'degraded',
      remaining: 4_100,
      secondsLeft: 66,
      lastError: { code: 'ERR_IDS_UNAVAILABLE', at: ago(2) },
    },
    refillFailures: 17,
    trouble: { code: 'ERR_IDS_UNAVAILABLE', since: ago(842), at: ago(2), calls: 0 },
  });
}

/** Calls fail with this code. */
export function down(name: string, code = 'ERR_IDS_TIMEOUT', calls = 1_842): GeneratorStatus {
  return generatorStatus(name, {
    health: { status: 'down', remaining: 0, lastError: { code, at: ago(1) } },
    recent: { ...recent(0), ids: Array.from({ length: 60 }, (_, i) => (i < 30 ? 900 : 0)) },
    failures: [{ code, calls }],
    trouble: { code, since: ago(158), at: ago(1), calls },
  });
}

export function statusOf(...generators: GeneratorStatus[]): Status {
  return { upSeconds: 270_000, generators };
}
