import { runHttpKit } from './support/http-kit.js';

await runHttpKit({
  'http with leased ranges and a bound on what may be lost': { mode: 'segments', maxIdsLost: 150_000 },
  'http, whose server issues from memory': { order: 'none', gaps: 'on-restart' },
  'http, whose server issues in real-time order': { order: 'real-time', gaps: 'on-fault' },
});
