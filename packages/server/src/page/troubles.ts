import { type Finding, findingsOf, type Step } from './advice.js';
import type { GeneratorStatus } from './api.js';
import { byId, element, setText } from './dom.js';
import { ago, time, visible } from './format.js';

const LEVELS = { bad: 'No IDs', watch: 'Watch' } as const;

/** The cards of what is wrong, the worst first. They are made anew only if something else is wrong. */
export class Troubles {
  #shown = '';
  readonly #times: (readonly [HTMLElement, Finding])[] = [];

  update(
    generators: readonly GeneratorStatus[],
    now: Date,
  ): { readonly bad: number; readonly watch: number } {
    const all = generators.flatMap((one) =>
      findingsOf(one, now).map((finding) => ({ name: one.name, finding })),
    );
    all.sort((a, b) => Number(a.finding.level === 'watch') - Number(b.finding.level === 'watch'));
    byId('troubles').hidden = all.length === 0;
    const key = JSON.stringify(all.map(({ name, finding: { level, title } }) => [name, level, title]));
    if (key !== this.#shown) {
      this.#times.length = 0;
      byId('trouble-list').replaceChildren(...all.map(({ name, finding }) => this.#card(name, finding)));
      this.#shown = key;
    }
    for (const [i, [line]] of this.#times.entries()) {
      const { finding } = all[i] as { finding: Finding };
      setText(line, whenOf(finding, now));
      if (line.nextElementSibling !== null) setText(line.nextElementSibling, finding.effect);
    }
    const of = (level: Finding['level']) =>
      new Set(all.filter(({ finding }) => finding.level === level).map(({ name }) => name)).size;
    return { bad: of('bad'), watch: of('watch') };
  }

  #card(name: string, finding: Finding): HTMLElement {
    const { level, code, title, effect, steps } = finding;
    const when = element('p', { class: 'when' });
    this.#times.push([when, finding]);
    return element(
      'article',
      { class: `card ${level}` },
      element(
        'h3',
        {},
        element('span', { class: 'tag' }, LEVELS[level]),
        ' ',
        element('bdi', {}, visible(name)),
        `: ${title}`,
      ),
      when,
      element('p', {}, effect),
      ...(code === undefined ? [] : [element('p', { class: 'soft' }, element('code', {}, code))]),
      element('ol', {}, ...steps.map(stepItem)),
    );
  }
}

function whenOf({ since, last }: Finding, now: Date): string {
  if (since === undefined) return '';
  const text = `Since ${time(since, now)}, ${ago(since, now)}`;
  return last === undefined || last <= since ? text : `${text}; last at ${time(last, now)}`;
}

function stepItem({ text, command }: Step): HTMLElement {
  if (command === undefined) return element('li', {}, text);
  const copy = element('button', { type: 'button', 'aria-label': `Copy ${command}` }, 'Copy');
  copy.addEventListener('click', async () => {
    // Without TLS there is no clipboard: the command is selected instead.
    await navigator.clipboard?.writeText(command).then(
      () => setText(copy, 'Copied'),
      () => select(shown),
    );
    if (navigator.clipboard === undefined) select(shown);
  });
  // A line may end between words, and not after a hyphen of an option.
  const words = command.split(' ').map((word) => element('span', { class: 'word' }, word));
  const shown = element('code', {}, ...words.flatMap((word, i) => (i === 0 ? [word] : [' ', word])));
  return element('li', {}, text, element('span', { class: 'command' }, shown, copy));
}

function select(node: Node): void {
  getSelection()?.selectAllChildren(node);
}
