import { Option } from '@commander-js/extra-typings';
import { exitCodeOf, toolCommand, wholeNumber } from '../arguments.js';
import { guardNamed } from '../guards.js';
import { checkWalks } from './check-walks.js';
import { missingTools } from './walk.js';

const EXIT = { agreed: 0, disagreed: 1, noTools: 3 };

function readOptions(args: readonly string[]) {
  const from = new Option('--from <N>', 'the first seed for Spin; each seed gives about fifty walks');
  return toolCommand(
    'pnpm --filter @ids/simulator model-walks',
    "Executes random walks of the protocol's Spin model with the scripts themselves, on simulated Redis servers, and compares the outcome of each step and the state after it.",
  )
    .option('--walks <N>', 'how many walks, 1 or more', wholeNumber(1), 1_000)
    .addOption(
      from.argParser(wholeNumber(0, 2 ** 31 - 1)).default(Math.floor(Math.random() * 2 ** 30), 'random'),
    )
    .option('--guard <NAME>', 'remove a guard from the scripts, as in pnpm simulate', guardNamed)
    .addHelpText(
      'after',
      '\nExit code 0: no step differs. 1: one does. 2: wrong command line. 3: spin or gcc is missing.',
    )
    .parse(args, { from: 'user' })
    .opts();
}

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  const missing = await missingTools();
  if (missing !== undefined) {
    console.error(missing);
    return EXIT.noTools;
  }
  let stopped = false;
  process.once('SIGINT', () => {
    stopped = true;
  });
  const started = performance.now();
  const { walks, steps, kinds, failure } = await checkWalks({ ...options, stopped: () => stopped });
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  const counts = [...kinds].map(([kind, count]) => `${kind} ${count}`).join(', ');
  console.log(`${walks} walks from seed ${options.from}, ${steps} steps, ${seconds} s: ${counts}`);
  console.log(failure ?? 'no step differs');
  return failure === undefined ? EXIT.agreed : EXIT.disagreed;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = exitCodeOf(error);
}
