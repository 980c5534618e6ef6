export type { TestPlace } from './forms.js';
export {
  createTestGenerator,
  type TestGenerator,
  type TestIdOptions,
  testStrategy,
} from './test-generator.js';
