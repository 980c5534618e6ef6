import { type GeneratorStatus, Refusal, read, type Status, token } from './api.js';
import { byId, setText } from './dom.js';
import { duration, time } from './format.js';
import { GeneratorRow } from './generator-row.js';
import { offerLookUp } from './look-up.js';
import { Troubles } from './troubles.js';

const POLL_MS = 2_000;
/** From so many generators on, there is a filter. */
const MANY = 12;

const rows = new Map<string, GeneratorRow>();
const troubles = new Troubles();
let answeredAt: Date | undefined;
let paused = false;
let timer: ReturnType<typeof setTimeout> | undefined;

async function poll(): Promise<void> {
  clearTimeout(timer);
  try {
    show(await read<Status>('v1/status'));
  } catch (error) {
    if (error instanceof Refusal && error.status === 401) return ask(token.get() !== null);
    stale(error);
  }
  if (!paused && !document.hidden) timer = setTimeout(poll, POLL_MS);
}

function ask(refused: boolean): void {
  token.forget();
  byId('shown').hidden = true;
  byId('pause').hidden = true;
  byId('forget').hidden = true;
  byId('ask').hidden = false;
  setText(byId('refused'), refused ? 'This server knows no such token.' : '');
  byId('token').focus();
}

function show({ upSeconds, generators }: Status): void {
  const now = new Date();
  answeredAt = now;
  byId('ask').hidden = true;
  byId('shown').hidden = false;
  byId('stale').hidden = true;
  byId('pause').hidden = false;
  byId('forget').hidden = token.get() === null;
  const machine = location.host;
  setText(byId('server'), `${machine}, up for ${duration(upSeconds)}, as of ${time(now, now)}`);
  const found = troubles.update(generators, now);
  verdict(generators.length, found);
  byId('empty').hidden = generators.length > 0;
  byId('generators').hidden = generators.length === 0;
  byId('filter-line').hidden = generators.length < MANY;
  for (const generator of generators) rowOf(generator).update(generator, now);
  offerLookUp(generators);
  filter();
}

function rowOf({ name, strategy }: GeneratorStatus): GeneratorRow {
  const found = rows.get(name);
  if (found !== undefined) return found;
  const row = new GeneratorRow(name, strategy, rows.size);
  rows.set(name, row);
  byId('generators').append(row.element);
  return row;
}

/** A live region, so it says nothing that changes each second. */
function verdict(all: number, { bad, watch }: { readonly bad: number; readonly watch: number }): void {
  const banner = byId('verdict');
  banner.className = `banner ${bad > 0 ? 'bad' : watch > 0 ? 'watch' : 'fine'}`;
  const of = (some: number) => `${some} of ${all} ${all === 1 ? 'generator' : 'generators'}`;
  const parts = [
    ...(bad > 0 ? [`${of(bad)} ${bad === 1 ? 'gives' : 'give'} no IDs`] : []),
    ...(watch > 0 ? [`${of(watch)} ${watch === 1 ? 'needs' : 'need'} a look`] : []),
  ];
  setText(banner, parts.length > 0 ? parts.join(', ') : 'All is well');
  document.title = `${bad > 0 ? '✖' : watch > 0 ? '▲' : '✔'} IDs`;
}

function stale(error: unknown): void {
  byId('shown').hidden = false;
  const banner = byId('stale');
  banner.hidden = false;
  const why =
    error instanceof Refusal ? `The server answers: ${error.message}.` : 'The server does not answer.';
  const shown = answeredAt === undefined ? '' : ` What is below is as of ${time(answeredAt, new Date())}.`;
  setText(banner, `${why}${shown} See systemctl status ids-server, and its log.`);
}

function filter(): void {
  const text = byId<HTMLInputElement>('filter').value.toLowerCase();
  for (const [name, { element }] of rows) element.hidden = !name.toLowerCase().includes(text);
}

byId('ask').addEventListener('submit', (event) => {
  event.preventDefault();
  const field = byId<HTMLInputElement>('token');
  token.set(field.value);
  field.value = '';
  void poll();
});
byId('forget').addEventListener('click', () => {
  clearTimeout(timer);
  ask(false);
});
byId('pause').addEventListener('click', () => {
  paused = !paused;
  byId('pause').setAttribute('aria-pressed', String(paused));
  if (!paused) void poll();
});
byId('filter').addEventListener('input', filter);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && !paused && !byId('shown').hidden) void poll();
});
void poll();
