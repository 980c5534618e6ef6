// What `apps/claims` uses to run its own commands.
export { UsageError } from '../cases/select.js';
export { folder, measuringCommand, names } from '../cli/flags.js';
export { type CommonArguments, commonArguments, parseFlags } from '../cli/options.js';
export { EXIT, plainView, runCommand } from '../cli/run-command.js';
export { tooBusy } from '../experiments/machine.js';
export { PROCESS_MS, type Profile, profiles } from '../experiments/profile.js';
export { type RunOptions, runSession, type SessionFacts } from '../experiments/session.js';
export { failuresOf, type Phase, Trials, WorkRecord } from '../experiments/steps.js';
export { type Section, table } from '../report/blocks.js';
export { toJson, writeReport } from '../report/files.js';
export { html } from '../report/markup.js';
export { environment } from '../report/method.js';
export { renderPage } from '../report/page.js';
export { noticesOf, type Report } from '../report/sections.js';
export { renderTerminal } from '../report/terminal.js';
export type { CaseStatus } from '../schema/case.js';
