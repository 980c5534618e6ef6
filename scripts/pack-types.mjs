// Compiles an import of every entry of the installed packages, declarations and all, as users' compilers do.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The oldest supported TypeScript, and the newest. */
export const COMPILERS = {
  'typescript-oldest': 'npm:typescript@5.4.5',
  'typescript-newest': 'npm:typescript@6.0.3',
};

const SETTINGS = [
  { module: 'node16', moduleResolution: 'node16' },
  { module: 'nodenext', moduleResolution: 'nodenext' },
  { module: 'esnext', moduleResolution: 'bundler' },
];

/**
 * Throws when a declaration does not compile with `skipLibCheck` off. Returns how many compilations passed.
 */
export function checkTypes(project, entries) {
  const lines = entries.map((entry, index) => `export * as entry${index} from '${entry}';`);
  writeFileSync(join(project, 'every-entry.ts'), lines.join('\n'));
  let passed = 0;
  for (const compiler of Object.keys(COMPILERS)) {
    for (const settings of SETTINGS) {
      const compilerOptions = {
        ...settings,
        target: 'es2022',
        lib: ['es2023', 'dom'],
        types: ['node'],
        strict: true,
        noEmit: true,
        skipLibCheck: false,
      };
      compile(project, compiler, { compilerOptions, files: ['every-entry.ts'] });
      console.log(`types of ${entries.length} entries: ${compiler}, ${settings.moduleResolution}`);
      passed++;
    }
  }
  // A CommonJS module with static imports: what the README says it needs.
  writeFileSync(join(project, 'common.cts'), lines.join('\n'));
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2022',
    types: ['node'],
    strict: true,
    noEmit: true,
  };
  compile(project, 'typescript-newest', { compilerOptions, files: ['common.cts'] });
  console.log(`types of ${entries.length} entries: typescript-newest, nodenext, from CommonJS`);
  return passed + 1;
}

function compile(project, compiler, config) {
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join('node_modules', compiler, 'bin', 'tsc');
  try {
    execFileSync('node', [tsc, '--project', '.'], { cwd: project, encoding: 'utf8' });
  } catch ({ stdout }) {
    const { moduleResolution, module } = config.compilerOptions;
    throw new Error(
      `${compiler} with ${moduleResolution ?? module} does not compile the declarations:\n${stdout}`,
    );
  }
}
