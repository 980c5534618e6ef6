import { type Offer, rankOffers } from '../../judge/rank.js';
import { nameLines } from '../../judge/words.js';

/** The page defines it before this script. */
declare const offers: readonly Offer[];

const form = document.getElementById('needs') as HTMLFormElement;
const body = document.getElementById('ranking') as HTMLTableSectionElement;

function cell(tag: 'th' | 'td', text: string): HTMLTableCellElement {
  const made = document.createElement(tag);
  if (tag === 'th') made.scope = 'row';
  made.textContent = text;
  return made;
}

/** As in the other tables. */
function nameCell(name: string): HTMLTableCellElement {
  const [strategy, options] = nameLines(name);
  const made = cell('th', strategy);
  if (options !== undefined) {
    made.append(Object.assign(document.createElement('small'), { textContent: `with ${options}` }));
  }
  return made;
}

/** A positive number; `undefined` if the field is empty or holds anything else. */
function positive(value: FormDataEntryValue | null): number | undefined {
  return Number(value) > 0 ? Number(value) : undefined;
}

function rankAgain(): void {
  const data = new FormData(form);
  const ranked = rankOffers(offers, {
    fields: [...data].map(([name, value]) => `${name}=${String(value)}`),
    rate: positive(data.get('rate')),
    p99Ms: positive(data.get('p99')),
    public: data.has('public'),
  });
  const rows = ranked.map(({ strategy, fits, missing }) => {
    const row = document.createElement('tr');
    row.append(nameCell(strategy), cell('td', fits), cell('td', missing));
    return row;
  });
  body.replaceChildren(...rows);
}

form.addEventListener('input', rankAgain);
form.addEventListener('submit', (event) => event.preventDefault());
rankAgain();
