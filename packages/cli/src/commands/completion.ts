import { Argument } from '@commander-js/extra-typings';
import { candidatesFor } from '../completion/candidates.js';
import { lineFor, SCRIPTS, SHELLS } from '../completion/scripts.js';
import { type AddCommand, EXIT } from '../terminal/command.js';
import { writeJson } from '../terminal/output.js';

/** Prints the script with which a shell completes command lines, and answers what that script asks. */
export const addCompletion: AddCommand = (ids, actionOf) =>
  ids
    .command('completion')
    .description('Print the script with which a shell completes commands, options and names')
    .addArgument(new Argument('<shell>', 'for which shell').choices(SHELLS))
    .argument('[words...]', 'after --: the words after "ids"; prints what would fit as the last one')
    .action(
      actionOf(async (context, shell, words) => {
        const { stdout, json } = context;
        // The script passes at least the word that is being typed, which may be empty.
        const found = words.length === 0 ? undefined : await candidatesFor(ids, words, context);
        if (json) writeJson(stdout, found ?? { script: SCRIPTS[shell] });
        else stdout.write(found?.map((one) => `${lineFor[shell](one)}\n`).join('') ?? SCRIPTS[shell]);
        return EXIT.ok;
      }),
    );
