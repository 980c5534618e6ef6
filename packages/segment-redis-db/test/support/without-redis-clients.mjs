// Preloaded into a process in which neither `ioredis` nor `redis` can be found.
import { withoutPackages } from './without-packages.mjs';

withoutPackages(['ioredis', 'redis']);
