import { type GeneratorStatus, Refusal, read } from './api.js';
import { byId, element } from './dom.js';
import { visible } from './format.js';

/** What `/v1/provenance` answers. */
interface Provenance {
  readonly parts: readonly { readonly name: string; readonly value: string; readonly note?: string }[];
}

const choice = byId<HTMLSelectElement>('asked-generator');
const keyed = new Set<string>();

/** Lets people choose among these generators. */
export function offerLookUp(generators: readonly GeneratorStatus[]): void {
  byId('look-up').hidden = generators.length === 0;
  for (const { name, keyed: byKey } of generators) {
    if ([...choice.options].some(({ value }) => value === name)) continue;
    choice.append(element('option', { value: name }, visible(name)));
    if (byKey) keyed.add(name);
  }
  showKey();
}

function showKey(): void {
  byId('asked-key-line').hidden = !keyed.has(choice.value);
}

async function lookUp(): Promise<HTMLElement> {
  const query = new URLSearchParams({
    name: choice.value,
    id: byId<HTMLInputElement>('asked-id').value.trim(),
  });
  if (keyed.has(choice.value)) query.set('key', byId<HTMLInputElement>('asked-key').value);
  try {
    const { parts } = await read<Provenance>(`v1/provenance?${query}`);
    if (parts.length === 0) return element('p', {}, 'Nobody knows: no log of its generator has it.');
    const list = parts.map(({ name, value, note }) =>
      element(
        'div',
        {},
        element('dt', {}, visible(name)),
        element('dd', {}, visible(note === undefined ? value : `${value} (${note})`)),
      ),
    );
    return element('dl', { class: 'facts' }, ...list);
  } catch (error) {
    const why = error instanceof Refusal ? error.message : 'the server does not answer';
    return element('p', { class: 'bad' }, `Not found: ${visible(why)}`);
  }
}

choice.addEventListener('change', showKey);
byId('asked').addEventListener('submit', async (event) => {
  event.preventDefault();
  byId('found').replaceChildren(await lookUp());
});
