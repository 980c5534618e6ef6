// For tests of this repository; other projects run the command.
export { clientCases, serverCases } from './case-files.js';
export { type CaseResult, checkClient } from './check-client.js';
export { checkServer } from './check-server.js';
export { type ClientProgram, startClientProgram } from './client-program.js';
