import { runConformance } from '@ids/conformance';
import { describe, it } from 'vitest';
import { inprocAs } from './support/inproc-as.js';

runConformance(inprocAs('number'), { describe, it });
