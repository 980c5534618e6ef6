// @boundaries-ignore test settings are the workspace's, not a package's
import { packageTests } from '../../vitest.shared.js';

export default packageTests('fastify');
