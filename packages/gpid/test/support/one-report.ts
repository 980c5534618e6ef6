import { createGpidGenerator, type GpidOptions, thisProcess } from '../../src/index.js';

// Prints what this process says of itself, then lives on until its input ends. The options are in JSON.
const options: GpidOptions = JSON.parse(process.argv[2] ?? '{}');
try {
  const ids = createGpidGenerator(options).nextBatchSync(1_000);
  process.stdout.write(`${JSON.stringify({ gpid: thisProcess(options), ids })}\n`);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: String(error) })}\n`);
}
process.stdin.resume();
