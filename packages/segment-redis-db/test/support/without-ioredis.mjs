// Preloaded into a process in which the package `ioredis` cannot be found.
import { withoutPackages } from './without-packages.mjs';

withoutPackages(['ioredis']);
