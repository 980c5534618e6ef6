import { mergeConfig } from 'vitest/config';
// @boundaries-ignore test settings are the workspace's, not a package's
import { packageTests } from '../../vitest.shared.js';

export default mergeConfig(packageTests('local-services'), {
  test: { globalSetup: './src/vitest-setup.ts' },
});
