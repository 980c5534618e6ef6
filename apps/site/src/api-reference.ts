import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  Application,
  type DefaultThemeRenderContext,
  JSX,
  PackageJsonReader,
  type Reflection,
  TSConfigReader,
  TypeDocReader,
} from 'typedoc';
import type { Address } from './address.js';

/** Of the options of each package, as the command `typedoc` reads them. */
const READERS = [new TypeDocReader(), new PackageJsonReader(), new TSConfigReader()];

/**
 * Writes the API reference into the finished site. Each of its pages begins with a link to the guide of its
 * package. `root`: the folder of the repository. Rejects if typedoc finds anything wrong.
 */
export async function writeApiReference(root: string, { site }: Address): Promise<void> {
  const options = { options: join(root, 'typedoc.json'), ...(site && { hostedBaseUrl: `${site}api/` }) };
  const app = await Application.bootstrapWithPlugins(options, READERS);
  app.renderer.hooks.on('content.begin', (context) => guides(context, root));
  const project = await app.convert();
  if (project !== undefined) {
    app.validate(project);
    await app.generateOutputs(project);
  }
  if (project === undefined || app.logger.hasErrors() || app.logger.hasWarnings()) {
    throw new Error('typedoc found something wrong in the API reference: see above');
  }
}

function guides(context: DefaultThemeRenderContext, root: string): JSX.Element {
  const name = packageOf(context.page.model);
  const link = (page: string, text: string) =>
    JSX.createElement('a', { href: context.relativeURL(`../${page}`) }, text);
  const overview = link('overview', 'Overview');
  const page = name === undefined ? undefined : `packages/${name}`;
  return page !== undefined && existsSync(join(root, page, 'README.md'))
    ? JSX.createElement('p', { class: 'guides' }, 'Guides: ', link(page, `@ids/${name}`), ', ', overview)
    : JSX.createElement('p', { class: 'guides' }, 'Guides: ', overview);
}

/** `core`, of anything in `@ids/core`; undefined for pages about all packages. */
function packageOf(model: unknown): string | undefined {
  for (let one = model as Reflection | undefined; one !== undefined; one = one.parent) {
    const [, name] = /^@ids\/([\w-]+)$/.exec(one.name) ?? [];
    if (name !== undefined) return name;
  }
  return undefined;
}
