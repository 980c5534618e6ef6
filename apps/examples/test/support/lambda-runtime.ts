import { handler } from '../../src/recipes/lambda.js';

process.on('message', async (count: number) => {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const { statusCode, body } = await handler();
    if (statusCode !== 201) throw new Error(`${statusCode} ${body}`);
    ids.push(JSON.parse(body).id);
  }
  process.send?.(ids);
});
