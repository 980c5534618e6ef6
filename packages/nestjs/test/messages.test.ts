import { MessagesPage } from '@ids/local-services/messages-page';
import { it } from 'vitest';
import { IdsModule, type IdsModuleOptions } from '../src/index.js';

/*
 * What users of this package read, in messages.md, except what `openOrTake` of @ids/config says, which is on
 * the page there. `pnpm vitest run --project nestjs messages -u` writes it anew.
 */
it('wrong options', async () => {
  const page = new MessagesPage(import.meta.url);
  const wrong = [{ generators: 'order' }, { generators: null }, { keyedGenerators: [5] }];
  const take = (names: object) => IdsModule.forRoot({ strategies: [], ...names } as IdsModuleOptions);
  const acts = wrong.map((names) => [names, () => take(names)] as const);
  page.section('Wrong options');
  await page.refusals(/^ERR_IDS_CONFIG$/, acts);
  await page.compare();
});
