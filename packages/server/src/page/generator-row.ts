import { findingsOf } from './advice.js';
import type { GeneratorStatus } from './api.js';
import { Chart } from './chart.js';
import { element, setText } from './dom.js';
import { ago, count, date, duration, rate, time, visible } from './format.js';

const STATES: Readonly<Record<GeneratorStatus['health']['status'], string>> = {
  ok: 'ok',
  'not-ready': 'not asked yet',
  degraded: 'degraded',
  down: 'down',
  closed: 'closed',
};

const MARKS = { fine: '✔', watch: '▲', bad: '✖' } as const;

/** A generator in the table: a row, and details that its name opens. The elements stay, so focus does too. */
export class GeneratorRow {
  readonly element = element('tbody');
  readonly #cells: Readonly<Record<'state' | 'rate' | 'memory' | 'range' | 'failure', HTMLElement>>;
  readonly #chart = new Chart();
  readonly #details: HTMLElement;
  #key = '';

  constructor(name: string, strategy: string, index: number) {
    const id = `details-${index}`;
    const button = element('button', {
      type: 'button',
      'aria-expanded': 'false',
      'aria-controls': id,
      class: 'name',
    });
    button.append(element('bdi', {}, visible(name)));
    const cell = (label: string, kind = '') => element('td', { 'data-label': label, class: kind });
    this.#cells = {
      state: cell('State', 'state'),
      rate: cell('IDs/s', 'number'),
      memory: cell('In memory', 'number'),
      range: cell('Range ends'),
      failure: cell('Last failure', 'failure'),
    };
    const chart = cell('Five minutes', 'charted');
    chart.append(this.#chart.element);
    const { state, rate: perSecond, memory, range, failure } = this.#cells;
    const head = element('th', { scope: 'row' }, button, element('small', {}, strategy));
    this.#details = element('td', { colspan: '7' });
    const more = element('tr', { id, class: 'more' }, this.#details);
    more.hidden = true;
    button.addEventListener('click', () => {
      more.hidden = !more.hidden;
      button.setAttribute('aria-expanded', String(!more.hidden));
    });
    this.element.append(element('tr', {}, head, state, perSecond, memory, range, failure, chart), more);
  }

  update(generator: GeneratorStatus, now: Date): void {
    const { health, recent, trouble } = generator;
    const [worst] = findingsOf(generator, now);
    this.element.className = worst?.level ?? 'fine';
    const { state, rate: perSecond, memory, range, failure } = this.#cells;
    const unused = health.status === 'not-ready' && generator.issued > 0 ? 'waiting for IDs' : undefined;
    const failing = health.status === 'ok' && worst?.level === 'bad' ? 'calls fail' : undefined;
    setText(state, `${MARKS[worst?.level ?? 'fine']} ${failing ?? unused ?? STATES[health.status]}`);
    setText(perSecond, rate(recent.idsPerSecond));
    setText(memory, memoryText(health));
    setText(range, health.exhaustedAt === undefined ? '–' : rangeText(new Date(health.exhaustedAt), now));
    setText(failure, trouble === undefined ? 'none' : failureText(trouble, now));
    this.#chart.update(recent);
    this.#updateDetails(generator, now);
  }

  #updateDetails(generator: GeneratorStatus, now: Date): void {
    const { clients, failures, issued, leased, refills, refillFailures, realm } = generator;
    const key = JSON.stringify([clients, failures, issued, leased, refills, refillFailures]);
    if (key === this.#key) return;
    this.#key = key;
    const facts: readonly (readonly [string, string])[] = [
      ['Issued since the start', count(issued)],
      ['Leased since the start', count(leased)],
      ...(refills === undefined ? [] : [['Refills', count(refills)] as const]),
      ...(refillFailures === undefined ? [] : [['Refills that failed', count(refillFailures)] as const]),
      ...failures.map(({ code, calls }) => [`Calls with ${code}`, count(calls)] as const),
      ...(realm === null ? [] : [['Realm', visible(realm)] as const]),
    ];
    const list = facts.map(([term, text]) =>
      element('div', {}, element('dt', {}, term), element('dd', {}, text)),
    );
    this.#details.replaceChildren(element('dl', { class: 'facts' }, ...list), holders(clients, now));
  }
}

function memoryText({ remaining, secondsLeft }: GeneratorStatus['health']): string {
  if (remaining === undefined) return 'endless';
  return secondsLeft === undefined ? count(remaining) : `${count(remaining)}, for ${duration(secondsLeft)}`;
}

function rangeText(end: Date, now: Date): string {
  const seconds = (end.getTime() - now.getTime()) / 1_000;
  return seconds > 86_400 * 365 * 100 ? 'in over 100 years' : `${date(end)}, in ${duration(seconds)}`;
}

function failureText({ code, since, until }: NonNullable<GeneratorStatus['trouble']>, now: Date): string {
  if (until === undefined) return `${code} since ${time(new Date(since), now)}`;
  return `${code}, ended ${ago(new Date(until), now)}`;
}

/** Who got ids, and which range each client holds. */
function holders(clients: GeneratorStatus['clients'], now: Date): HTMLElement {
  if (clients.length === 0) return element('p', { class: 'soft' }, 'No client got IDs since the start.');
  const heads = ['Client', 'Issued', 'Leased', 'Last range', 'Last at'];
  const rows = clients.map(({ name, issued, leased, range, at }) => {
    const shown = range === undefined ? '–' : `${range.low} to ${range.high}`;
    const cells = [count(issued), count(leased), shown, time(new Date(at), now)];
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, element('bdi', {}, name === null ? 'this machine' : visible(name))),
      ...cells.map((text) => element('td', {}, text)),
    );
  });
  return element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': 'Clients' },
    element(
      'table',
      {},
      element('caption', {}, 'Clients that got IDs since the start'),
      element('thead', {}, element('tr', {}, ...heads.map((text) => element('th', { scope: 'col' }, text)))),
      element('tbody', {}, ...rows),
    ),
  );
}
