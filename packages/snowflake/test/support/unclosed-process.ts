import { createSnowflakeGenerator, type SnowflakeOptions } from '../../src/index.js';

/** Takes an id and never closes its generator: nothing may keep this process alive. */
const generator = await createSnowflakeGenerator(JSON.parse(process.argv[2] ?? '') as SnowflakeOptions);
console.log(String(await generator.next()));
