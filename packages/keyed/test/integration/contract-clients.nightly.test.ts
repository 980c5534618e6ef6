import { SQL_CLIENTS } from '@ids/local-services/dialects';
import { runContract } from './run-contract.js';

// The first one runs in `contract.test.ts`.
for (const kind of SQL_CLIENTS.slice(1)) runContract(kind);
