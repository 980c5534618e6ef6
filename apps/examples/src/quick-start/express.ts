import { openIds } from '@ids/config';
import { isIdError } from '@ids/core';
import { segmentInproc } from '@ids/segment-inproc';
import express from 'express';

const ids = await openIds({ strategies: [segmentInproc] });
const orderIds = ids.get('order');
const app = express();
app.post('/orders', async (_, response) => {
  try {
    response.status(201).json({ id: String(await orderIds.next()) });
  } catch (error) {
    console.error(error);
    if (isIdError(error) && error.retryable) response.status(503).set('retry-after', '2').end();
    else response.status(500).end();
  }
});
const server = app.listen(Number(process.env.PORT ?? 3000), 'localhost');
const stop = () => server.close(() => ids.close());
process.once('SIGTERM', stop).once('SIGINT', stop);
