import { SQL_CLIENTS } from '@ids/local-services/dialects';
import { runContract } from './run-contract.js';

const [postgres] = SQL_CLIENTS;
if (postgres !== undefined) runContract(postgres);
