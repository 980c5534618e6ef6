export { idsCommand } from './ids-command.js';
export type { CommandContext, ExitCode, OutputStream } from './terminal/command.js';
