import { median } from 'simple-statistics';
import type { CaseEnvironment, ControlCase, Subject } from '../../bench-case.js';
import { measureUses, type Use } from '../../measure/sync-bursts.js';
import type { ProbeCase } from '../claim.js';

type Ids = Pick<ControlCase, 'name' | 'format' | 'maxIdsPerSecond'> & {
  open(environment: CaseEnvironment): Promise<Subject>;
};

const STRING_USES: readonly Use[] = ['raw', 'flattened', 'asMapKey', 'inserted'];
const NUMBER_USES: readonly Use[] = ['raw', 'asMapKey'];

/**
 * `nextSync` as in the bench proper. Figures: one for each use, `flattened` and `inserted` of strings only.
 */
export function idsProbe(ids: Ids): ProbeCase {
  const uses = ids.format.idType === 'string' ? STRING_USES : NUMBER_USES;
  return {
    name: ids.name,
    backends: [],
    async open(environment) {
      const subject = await ids.open(environment);
      await subject.ready?.();
      return {
        async measure(ms) {
          const calls = Number.MAX_SAFE_INTEGER;
          const { ns } = await measureUses(subject, ids, { calls, maxMs: ms / uses.length }, uses);
          return Object.fromEntries(uses.map((use) => [use, median([...ns[use]])]));
        },
        close: () => subject.close(),
      };
    },
  };
}
