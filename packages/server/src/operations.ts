import type { Operation } from './openapi.js';
import { DESCRIBED, HIGHEST, ISSUED, LEASED, PROVENANCE, SEQUENCE } from './response-schemas.js';

const NAME = { name: 'The name of a generator.' };

// How the OpenAPI document describes what the handler serves.

export const ISSUE_IDS: Operation = {
  operationId: 'issueIds',
  summary: 'Issue ids',
  description:
    'Each call succeeds or fails by itself. If all of them fail, the status is that of the first one. Ids of a ' +
    'request without an answer are a gap: send another request, and never use an answer twice.',
  answer: ISSUED,
};

export const LEASE_RANGE: Operation = {
  operationId: 'leaseRange',
  summary: 'Lease a range of ids',
  description:
    'Reserves a range for this client alone, which issues its ids from memory, in increasing order. A range ' +
    'whose answer is lost is a gap.',
  answer: LEASED,
};

export const DESCRIBE: Operation = {
  operationId: 'describeGenerators',
  summary: 'Describe generators',
  description: 'What they guarantee, how they are, and from which store their ids come. Takes no ids.',
  answer: DESCRIBED,
  optional: NAME,
};

export const READ_SEQUENCE: Operation = {
  operationId: 'readSequence',
  summary: 'Read how far a sequence is',
  description: 'Of a generator that leases ranges. Takes no ids.',
  answer: SEQUENCE,
  query: NAME,
};

export const READ_HIGHEST: Operation = {
  operationId: 'readHighest',
  summary: 'Read the highest id of a key',
  description: 'Of a keyed generator: the greatest that may have been issued. Takes no ids.',
  answer: HIGHEST,
  query: { ...NAME, key: 'Whose ids.' },
};

export const READ_PROVENANCE: Operation = {
  operationId: 'readProvenance',
  summary: 'Read who reserved an id',
  description: 'Of a generator with a grant log. The owner of ids that a server issued is the server.',
  answer: PROVENANCE,
  query: { ...NAME, id: 'The id.' },
  optional: { key: 'Of a keyed generator: whose id it is.' },
};
