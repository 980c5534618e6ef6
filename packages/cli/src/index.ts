export type { CommandContext, OutputStream, Provenance, SequencePlace } from './context.js';
export type { ExitCode } from './exit-code.js';
export { idsCommand } from './ids-command.js';
