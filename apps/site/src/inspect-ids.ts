import { createObjectIdGenerator } from '@ids/objectid';
import { createUuid7Generator } from '@ids/uuid7';
import { computed, defineComponent, h, ref, type VNode } from 'vue';
import { type Reading, readingsOf, whyUnread } from './readings.js';

/** Samples of what needs a server to be issued, and of forms. */
const SAMPLES: readonly (readonly [name: string, id: string])[] = [
  ['snowflake', '250278837173092352'],
  ['segment-inproc', '48001'],
  ['typeid', 'order_01h455vb4pex5vsknk084sn02q'],
  ['ulid', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
];

/** Reads an ID that is pasted, and issues IDs of the strategies that need only memory. Nothing is sent. */
export const InspectIds = defineComponent({
  name: 'InspectIds',
  setup() {
    const text = ref('');
    const issued = ref<readonly string[]>([]);
    const readings = computed(() => readingsOf(text.value));
    // Opened when they are first asked for: the page is rendered once without a browser.
    const objectids = lazily(() => createObjectIdGenerator());
    const uuids = lazily(() => createUuid7Generator());
    const issue = (ids: readonly string[]): void => {
      issued.value = ids;
      text.value = ids[0] ?? '';
    };
    return () =>
      h('div', { class: 'inspect' }, [
        h('label', { for: 'id' }, 'An ID'),
        h('input', {
          id: 'id',
          value: text.value,
          placeholder: '019b76da-a800-7abc-9d78-9abcfedcba98',
          spellcheck: false,
          autocomplete: 'off',
          onInput: ({ target }: Event) => {
            text.value = (target as HTMLInputElement).value;
          },
        }),
        h('div', { class: 'buttons' }, [
          button('Issue 5 ObjectIds', () => issue(objectids().nextBatchSync(5))),
          button('Issue 5 UUIDs', () => issue(uuids().nextBatchSync(5))),
          ...SAMPLES.map(([name, id]) => button(`A sample of ${name}`, () => issue([id]))),
        ]),
        h('div', { 'aria-live': 'polite' }, [
          ...readings.value.map(showReading),
          text.value.trim() !== '' && readings.value.length === 0
            ? h('p', { class: 'unknown' }, whyUnread(text.value))
            : undefined,
        ]),
        issued.value.length > 1
          ? h('div', [
              h('p', 'Issued in this browser, in this order:'),
              h(
                'ol',
                { class: 'issued' },
                issued.value.map((id) => h('li', h('code', id))),
              ),
            ])
          : undefined,
      ]);
  },
});

function button(text: string, onClick: () => void): VNode {
  return h('button', { type: 'button', onClick }, text);
}

function showReading({ readAs, parts }: Reading): VNode {
  return h('table', [
    h('caption', readAs),
    h(
      'tbody',
      parts.map(({ name, value, note = '' }) =>
        h('tr', [h('th', { scope: 'row' }, name), h('td', h('code', value)), h('td', note)]),
      ),
    ),
  ]);
}

function lazily<T>(open: () => T): () => T {
  let opened: T | undefined;
  return () => {
    opened ??= open();
    return opened;
  };
}
