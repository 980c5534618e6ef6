export type { CommandContext, OutputStream, SequencePlace } from './context.js';
export type { ExitCode } from './exit-code.js';
export { idsCommand } from './ids-command.js';
