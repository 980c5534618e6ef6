import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the repository and the site are. Without them, pages have no edit links and no canonical address. */
export interface Address {
  /** `https://github.com/owner/ids` */
  readonly repository?: string;
  /** With a slash at the end: `https://owner.github.io/ids/`. */
  readonly site?: string;
}

/**
 * The repository is the `repository` of the package.json in `root`, the folder of the repository; the site is
 * its address at GitHub Pages. `IDS_REPOSITORY` and `IDS_SITE_URL` override them. Throws for what is neither.
 */
export function addressOf(
  root: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Address {
  const { IDS_REPOSITORY: own, IDS_SITE_URL: address } = environment;
  const declared = own || declaredIn(join(root, 'package.json'));
  const repository = declared === undefined ? undefined : repositoryUrl(declared);
  const site = address ? siteUrl(address) : repository && pagesUrl(repository);
  return { ...(repository && { repository }), ...(site && { site }) };
}

function declaredIn(file: string): string | undefined {
  const { repository } = JSON.parse(readFileSync(file, 'utf8')) as { repository?: string | { url: string } };
  return typeof repository === 'object' ? repository.url : repository;
}

/** In the forms that npm accepts for GitHub: a URL, also with `git+` or `.git`, or `owner/name`. */
function repositoryUrl(text: string): string {
  const [, path] =
    /^(?:(?:git\+)?(?:https|ssh|git):\/\/(?:git@)?github\.com\/|git@github\.com:|github:)?([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(
      text,
    ) ?? [];
  if (path !== undefined) return `https://github.com/${path}`;
  throw new Error(`the repository must be one on GitHub, as "https://github.com/owner/name", got "${text}"`);
}

function pagesUrl(repository: string): string {
  const [owner = '', name = ''] = new URL(repository).pathname.slice(1).split('/');
  const host = `${owner.toLowerCase()}.github.io`;
  return name.toLowerCase() === host ? `https://${host}/` : `https://${host}/${name}/`;
}

function siteUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search + url.hash !== '') {
    throw new Error(`IDS_SITE_URL must be an address such as "https://owner.github.io/ids/", got "${text}"`);
  }
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

/** The path of the site on its host, with a slash at both ends. */
export function basePath({ site }: Address): string {
  return site === undefined ? '/' : new URL(site).pathname;
}
