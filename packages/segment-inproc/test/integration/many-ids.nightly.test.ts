import { once } from 'node:events';
import { countDistinct } from '@ids/conformance';
import { uniqueName } from '@ids/local-services';
import { SQL_DIALECTS } from '@ids/local-services/dialects';
import { describe, expect, it } from 'vitest';
import { startIssuing } from '../support/start-issuing.js';
import { createContext } from '../support/subject.js';

const PROCESSES = 4;
const IDS_EACH = process.env.IDS_FULL === '1' ? 10_000_000 : 1_000_000;

describe.each(SQL_DIALECTS)('segment-inproc on $server', ({ shared }) => {
  it(`gives ${PROCESSES} processes ${IDS_EACH} ids each from one table, rising in each, none twice`, async () => {
    const context = await createContext(await shared(), uniqueName('many_ids'), 'number');
    // So small a step that all processes are at work for a while at the same time.
    const options = { ...context, minStep: 1_000, maxStep: 1_000 };
    const runs = await Promise.all(
      Array.from({ length: PROCESSES }, async () => {
        const child = startIssuing({ options, ids: IDS_EACH });
        const [message] = await once(child, 'message');
        return message as number[];
      }),
    );
    expect(countDistinct(runs)).toBe(PROCESSES * IDS_EACH);
    expect(runs.every((bounds) => bounds.length > 20)).toBe(true);
  });
});
