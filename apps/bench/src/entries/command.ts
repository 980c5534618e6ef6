// What `apps/claims` uses to run its own command.
export { UsageError } from '../cases/select.js';
export { type CommonArguments, commonArguments, parseFlags } from '../cli/arguments.js';
export { asResult, type MeasureOptions, type RunFindings, runCommand } from '../cli/command.js';
export { measuringCommand } from '../cli/flags.js';
export { plainView } from '../cli/progress-view.js';
export { folder, names } from '../cli/values.js';
export { tooBusy } from '../experiments/machine.js';
export { profiles } from '../experiments/profile.js';
export { runSession } from '../experiments/session.js';
export { blocksOf, failuresOf, type Phase, PROCESS_S, Trials, WorkRecord } from '../experiments/steps.js';
export { html } from '../report/markup.js';
export { renderHtml } from '../report/page.js';
export type { ClaimResult, ClaimVerdict, ProbeResult } from '../schema/claims.js';
export type { BenchResult, Profile } from '../schema/run.js';
