import { IdError } from '@ids/core';
import { expect, it } from 'vitest';
import { IdsModule, type IdsModuleOptions } from '../src/index.js';

/*
 * What users of this package read, in messages.md, except what `openOrTake` of @ids/config says, which is on
 * the page there. `pnpm vitest run --project nestjs messages -u` writes it anew.
 */
it('wrong options', async () => {
  const page = ['# What @ids/nestjs says'];
  for (const names of [{ generators: 'order' }, { generators: null }, { keyedGenerators: [5] }]) {
    const options = { strategies: [], ...names } as unknown as IdsModuleOptions;
    try {
      expect.fail(`took ${IdsModule.forRoot(options)}`);
    } catch (error) {
      if (!(error instanceof IdError)) throw error;
      page.push(`\`${JSON.stringify(names)}\``, `> ${error.message} (${error.code})`);
    }
  }
  await expect(`${page.join('\n\n')}\n`).toMatchFileSnapshot('messages.md');
});
