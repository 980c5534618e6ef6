import { fileURLToPath } from 'node:url';
import { mergeConfig } from 'vitest/config';
// @boundaries-ignore test settings are the workspace's, not a package's
import { packageTests } from '../../vitest.shared.js';

/** As `scripts/bundle.mjs` builds what Node.js loads. */
const nodeClock = {
  find: /^\.{1,2}\/(src\/)?exact-clock\.js$/,
  replacement: fileURLToPath(new URL('src/exact-clock.node.ts', import.meta.url)),
};

export default mergeConfig(packageTests('uuid7'), { resolve: { alias: [nodeClock] } });
