import { median } from 'simple-statistics';
import type { CaseEnvironment, ControlCase, Subject } from '../../bench-case.js';
import { runSyncBursts } from '../../measure/sync-bursts.js';
import type { ProbeCase } from '../probe.js';

type Ids = Pick<ControlCase, 'name' | 'format' | 'maxIdsPerSecond'> & {
  open(environment: CaseEnvironment): Promise<Subject>;
};

/** `nextSync` as in the bench proper. Figures: `raw`, and `asMapKey` with each id looked up in a Map. */
export function idsProbe(ids: Ids): ProbeCase {
  const { name, format, maxIdsPerSecond } = ids;
  const asCase: ControlCase = {
    kind: 'control',
    name,
    backends: [],
    format,
    ...(maxIdsPerSecond !== undefined && { maxIdsPerSecond }),
    open: (environment) => ids.open(environment),
  };
  return {
    name,
    backends: [],
    async open(environment) {
      const subject = await asCase.open(environment);
      await subject.ready?.();
      return {
        async measure(ms) {
          const calls = Number.MAX_SAFE_INTEGER;
          const { raw, asMapKey } = await runSyncBursts(subject, asCase, { calls, maxMs: ms / 2 });
          return { raw: median([...raw]), asMapKey: median([...asMapKey]) };
        },
        close: () => subject.close(),
      };
    },
  };
}
