import { runConformance } from '@ids/conformance';
import { describe, it } from 'vitest';
import { MARIADB } from './support/mysql-slots.js';
import { withSlots } from './support/variants.js';

runConformance(withSlots({ as: 'bigint', layout: '41+10+12' }, MARIADB), { describe, it });
