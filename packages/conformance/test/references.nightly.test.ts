import { afterAll, describe, expect, it } from 'vitest';
import { conformanceCases, runConformance } from '../src/index.js';
import { references } from './references/references.js';
import { startTicketServer } from './references/ticket-server.js';

const server = await startTicketServer();
afterAll(() => server.close());
const subjects = Object.values(references(server.port));

for (const subject of subjects) runConformance(subject, { describe, it });

describe('the references', () => {
  for (const { name, skip } of conformanceCases) {
    it(`make a claim that lets a strategy be tested: it ${name}`, () => {
      const runs = subjects.filter(({ guarantees }) => skip(guarantees) === undefined);
      expect(runs).not.toHaveLength(0);
    });
  }
});
