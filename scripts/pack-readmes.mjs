// The programs of the READMEs as their readers have them: copied into a file of plain JavaScript beside the
// installed packages, and run by the oldest Node.js that is supported.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Throws when a program does not run, or prints nothing. Returns how many ran. `project`: where the packages
 * are installed; `node`: the executable; `env` names the servers.
 */
export async function checkReadmes(root, project, node, env) {
  const { REDIS_URL, DATABASE_URL } = env;
  const environment = { ...env, IDS_REDIS_URL: REDIS_URL, IDS_DATABASE_URL: DATABASE_URL };
  const installed = readdirSync(join(project, 'node_modules/@ids'));
  const readmes = ['README.md', ...installed.map((name) => join(folderOf(name), 'README.md'))];
  let ran = 0;
  for (const readme of readmes) {
    const cwd = join(project, 'readmes', readme.replaceAll('/', '-'));
    mkdirSync(cwd, { recursive: true });
    for (const { file, text } of examplesOf(readFileSync(join(root, readme), 'utf8'))) {
      writeFileSync(join(cwd, file ?? 'program.mjs'), text);
      if (file !== undefined) continue;
      const { stdout } = await promisify(execFile)(node, ['program.mjs'], { cwd, env: environment }).catch(
        (error) => {
          throw new Error(`a program in ${readme} does not run on the oldest Node.js:\n${error.stderr}`);
        },
      );
      if (stdout === '') throw new Error(`a program in ${readme} prints nothing:\n${text}`);
      ran++;
    }
  }
  console.log(`programs in READMEs on the oldest Node.js: ${ran}`);
  return ran;
}

function folderOf(name) {
  return name === 'bench' ? 'apps/bench' : join('packages', name);
}

/** A `ts` block that begins with a comment such as `// ids.config.ts` is that file; others are programs. */
function examplesOf(text) {
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => ({
    file: /^\/\/ ([\w.-]+\.ts)\n/.exec(code)?.[1],
    text: code,
  }));
}
