import type {} from '@ids/local-services/vitest-mariadb';
import { it } from 'vitest';
import { walk } from '../support/numbered-orders.js';

it.each(['identity', 'auto-increment'] as const)(
  'takes over %s under writers of both kinds, and goes back',
  walk,
);
