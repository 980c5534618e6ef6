/** Runs in the page: adds up the phrases of the chosen fields and sorts. `offers` stands before it. */
export const chooserScript = `
const form = document.getElementById('needs');
const body = document.getElementById('ranking');
function missing(offer, fields, rate) {
  const unmet = [...offer.always, ...fields.flatMap((field) => offer.unmet[field] ?? [])];
  if (rate > 0 && offer.rate !== undefined && offer.rate < rate)
    unmet.push('rate: needs ' + rate.toLocaleString('en') + ' ids/s, gave ' + Math.round(offer.rate).toLocaleString('en'));
  return unmet;
}
function compare(a, b) {
  const at = a.findIndex((value, place) => value !== b[place]);
  return at < 0 ? 0 : a[at] - b[at];
}
function hides(offer) {
  return form.elements.public.checked && offer.obfuscate;
}
function keyOf({ offer, unmet }) {
  return [offer.always.length > 0 ? 1 : 0, unmet.length, hides(offer) ? 1 : 0, ...offer.preference];
}
function cell(row, tag, text) {
  const made = document.createElement(tag);
  if (tag === 'th') made.scope = 'row';
  made.textContent = text;
  row.append(made);
}
function rank() {
  const data = new FormData(form);
  const rate = Number(data.get('rate'));
  const fields = [...data].map(([name, value]) => name + '=' + value);
  const ranked = offers
    .map((offer) => ({ offer, unmet: missing(offer, fields, rate) }))
    .sort((a, b) => compare(keyOf(a), keyOf(b)));
  body.replaceChildren(...ranked.map(({ offer, unmet }) => {
    const row = document.createElement('tr');
    cell(row, 'th', offer.strategy);
    cell(row, 'td', unmet.length > 0 ? 'no' : hides(offer) ? 'when obfuscated' : 'yes');
    cell(row, 'td', unmet.join('; '));
    return row;
  }));
}
form.addEventListener('input', rank);
form.addEventListener('submit', (event) => event.preventDefault());
rank();
`;
