import { runHttpKit } from './support/http-kit.js';

await runHttpKit({ 'http with leased ranges': { mode: 'segments' } });
