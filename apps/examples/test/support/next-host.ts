// The route handler of the quick start behind a server that, as that of Next.js, closes at SIGTERM.
import { serve } from '@hono/node-server';
import { POST } from '../../src/quick-start/next.js';

const server = serve({ fetch: POST, port: Number(process.env.PORT), hostname: 'localhost' });
process.once('SIGTERM', () => server.close());
