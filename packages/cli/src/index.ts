export type { CommandContext, ExitCode, OutputStream, SequencePlace } from './command.js';

export { idsCommand } from './ids-command.js';
