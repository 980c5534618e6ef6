import { afterAll, describe, it } from 'vitest';
import { runKeyedConformance } from '../src/index.js';
import { keyedReference } from './references/keyed-tickets.js';
import { startTicketServer } from './references/ticket-server.js';

const server = await startTicketServer();
afterAll(() => server.close());

runKeyedConformance(keyedReference(server.port), { describe, it });
