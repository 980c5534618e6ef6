import { startProcesses } from '../../src/index.js';

const { pids } = await startProcesses({
  module: new URL('../references/local.ts', import.meta.url),
  context: {},
  processes: 2,
  callers: 1,
});
process.send?.(pids);
