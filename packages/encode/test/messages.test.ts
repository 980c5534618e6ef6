import type { Guarantees, Id } from '@ids/core';
import { MessagesPage } from '@ids/local-services/messages-page';
import { expect, it } from 'vitest';
import {
  acceptFormer,
  createCodec,
  createNumberFormat,
  createRandomCodes,
  type EncodeOptions,
  formProblem,
  inspectTypeid,
  inspectUlid,
} from '../src/index.js';
import { createTypeidCodec, parseTypeid } from '../src/typeid.js';
import { parseUlid } from '../src/ulid.js';
import { gpids, KEY, numberGuarantees, objectIds, texts, upTo999, uuids } from './support/subject.js';

/*
 * What users of this package read, in messages.md: each sentence stands there, and in no other test. Read it
 * as prose; `pnpm vitest run --project encode messages -u` writes it anew.
 */

const UUID = '018f22e2-79b0-7cc3-98c4-dc0c0c07398f';
const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const hexTexts = texts(/^[0-9a-f]{4}$/, 4, '0123456789abcdef');

const wrongOptions: readonly (readonly [of: string, guarantees: Guarantees, options: readonly unknown[]])[] =
  [
    [
      'numbers',
      numberGuarantees,
      [
        null,
        {},
        { as: 'base64' },
        { as: 'hex', width: 0 },
        { as: 'hex', width: Number.NaN },
        { prefix: 'ord er' },
        { prefix: 7 },
        { as: 'hex', check: 'yes' },
        { as: 'hex', obfuscate: 1, check: 1 },
        { width: 4, check: true },
        { as: 'hex', obfuscate: true },
        { as: 'hex', key: KEY },
        { as: 'hex', obfuscate: true, key: 'hunter2' },
        { as: 'hex', obfuscate: true, key: [KEY] },
        { as: 'hex', obfuscate: true, key: 5 },
        { as: 'hex', width: 4, obfuscate: true, key: KEY },
        { as: 'decimal', width: 5, obfuscate: true, key: KEY },
        { obfuscate: true, key: KEY },
        { form: 'ulid' },
      ],
    ],
    ['gpids', gpids, [{ as: 'hex' }]],
    ['ObjectIds', objectIds, [{ as: 'base62', width: 16 }]],
    [
      'UUIDs of version 7',
      uuids,
      [
        { form: 'uuid' },
        { form: 'ulid', as: 'hex' },
        { form: 'typeid', width: 26, check: true },
        { form: 'ulid', obfuscate: true, key: KEY },
        { form: 'typeid', prefix: 'Order' },
        { form: 'ulid', prefix: 'x'.repeat(33) },
        { obfuscate: true },
        { obfuscate: true, key: KEY, version: 7 },
        { form: 'typeid', obfuscate: true, key: KEY, version: 8 },
      ],
    ],
    ['UUIDs of any version', texts(/^.{36}$/, 36, '-0123456789abcdef'), [{ obfuscate: true, key: KEY }]],
  ];

const wrongFormats = [
  ...['', 'INV-{yyyy}', '{000}{000}', '{yyyy}-{yyyy}-{000}', 'INV-{yy}-{000}', 'INV-{mm}-{000}', 'INV-{000'],
  ...['INV}-{000}', 'INV-\u{1F4C4}-{000}', `{${'0'.repeat(17)}}`, 'INV-{yyyy}-{n}', '{000}/{yyyy}', 7],
].map((format) => [format, () => createNumberFormat({ format: any(format) })] as const);

const codec = (options: EncodeOptions, of = numberGuarantees) => createCodec<Id>(of, options);
const invoice = createNumberFormat({ format: 'INV-{yyyy}-{00000}' });
const order = codec({ as: 'base62', width: 9, prefix: 'ord_' });
const [hex, plain] = [codec({ as: 'hex' }), codec({ prefix: 'n' })];
const hidden = codec({ obfuscate: true, key: KEY }, uuids);
const hidden8 = codec({ obfuscate: true, key: KEY, version: 8 }, uuids);
const typeids = codec({ form: 'typeid', prefix: 'order' }, uuids);
const any = (value: unknown) => value as never;

const otherSettings = {
  'a month of 0': () => createNumberFormat({ format: '{000}', yearStartsIn: 0 }),
  'a year named after both': () => createNumberFormat({ format: '{000}', yearNamedAfter: any('both') }),
  'no year for a key': () => createNumberFormat({ format: 'INV-{00000}' }).keyOf('acme', '2026-12-31'),
  'two codecs of the same texts': () => acceptFormer(hidden, hidden),
  'random codes of a character twice': () => createRandomCodes({ alphabet: 'aa' }),
  'random codes of no length': () => createRandomCodes({ length: 0 }),
};

const tooGreat = {
  'an id of more digits than the width': () => codec({ as: 'hex', width: 4 }).encode(0x1_0000),
  'a number of more digits than the format': () => invoice.format(100_000, '2026-01-01'),
};

const notWritten = {
  'a negative number as digits': () => hex.encode(-1),
  'NaN as digits': () => hex.encode(Number.NaN),
  'a text as another form of numbers': () => plain.encode('7'),
  'an id of another form as digits': () => codec({ as: 'decimal' }, hexTexts).encode('00FF'),
  'an obfuscated UUID, again': () => hidden.encode(hidden.encode(UUID)),
  'a UUID in upper case as a TypeID': () => typeids.encode(UUID.toUpperCase()),
  'a UUID in upper case, of any issuer': () => createTypeidCodec().encode(UUID.toUpperCase()),
  'a number above those of the strategy': () => codec({ as: 'hex' }, upTo999).encode(1_000),
  'the number 0 in a format': () => invoice.format(0, '2026-01-01'),
  'a day that does not exist': () => invoice.format(1, '2026-02-30'),
  'no day': () => invoice.format(1),
  'a Date': () => invoice.format(1, any(new Date(0))),
  'a year before 1': () =>
    createNumberFormat({ format: '{yyyy}{0}', yearStartsIn: 4 }).format(1, '0001-03-31'),
  'a type of TypeIDs': () => createTypeidCodec('Order'),
  'a collision of fewer than no codes': () => createRandomCodes().collisionProbability(-1),
};

const notRead = {
  'another prefix': () => order.decode('usr_000000CUD'),
  'too few digits': () => order.decode('ord_CUD'),
  'no digit': () => order.decode('ord_00000_CUD'),
  'too great a number': () => order.decode('ord_zzzzzzzzz'),
  'another text of an id': () => hex.decode('0ff'),
  'no digits': () => hex.decode(''),
  'more digits than an id has': () => codec({ as: 'decimal' }, upTo999).decode('1000'),
  'more than the last id': () => hex.decode('20000000000000'),
  'a number above those of hex texts': () => codec({ as: 'decimal' }, hexTexts).decode('65536'),
  'a wrong check digit': () => codec({ as: 'decimal', check: true }).decode('00'),
  'an id of another form': () => plain.decode('n7x'),
  'a text that is rounded': () => plain.decode('n9007199254740993'),
  'a UUID that is not obfuscated': () => hidden.decode(UUID),
  'a UUID that neither of two keys has obfuscated': () => acceptFormer(hidden8, hidden).decode(UUID),
  'a UUID of no version as a TypeID': () => typeids.decode(`order_${'0'.repeat(26)}`),
  'a TypeID that is too short': () => typeids.decode('order_01h455vb4pex5vsknk084sn02'),
  'a TypeID of another type': () => createTypeidCodec('order').decode('user_01h455vb4pex5vsknk084sn02q'),
  'a TypeID with a type': () => createTypeidCodec().decode('user_01h455vb4pex5vsknk084sn02q'),
  'a TypeID of a wrong type': () => parseTypeid('Order_01h455vb4pex5vsknk084sn02q'),
  'a ULID that is too great': () => parseUlid('8ZZZZZZZZZZZZZZZZZZZZZZZZZ'),
  'a ULID that is too short': () => codec({ form: 'ulid' }, uuids).decode(ULID.slice(1)),
  'a ULID with another letter': () => parseUlid(`${ULID.slice(1)}ſ`),
  'a text of another number format': () => invoice.parse('INV-2026-42'),
};

const noText = {
  'as an id': () => hex.decode(any(7)),
  'as a TypeID': () => parseTypeid(any(7)),
  'as a ULID': () => parseUlid(any(undefined)),
  'as a number of a format': () => invoice.parse(any(null)),
};

/** What is shown of a text, and what is said of one that looks like a TypeID or a ULID. */
const shown = ['prefix_01h455vb4pex5vsknk084sn02q', '0'.repeat(26), `order_7${'z'.repeat(25)}`, ULID];
const misspelt = [
  '_01h455vb4pex5vsknk084sn02q',
  'order_01h455vb4pex5vsknk084sn02',
  `8${ULID.slice(1)}`,
  ULID.replace('R', 'r'),
];

const page = new MessagesPage(import.meta.url);

type Section = [title: string, code: RegExp, acts: readonly (readonly [what: unknown, act: () => unknown])[]];

it.each<Section>([
  ...wrongOptions.map(([of, guarantees, all]): Section => {
    const acts = all.map((options) => [options, () => codec(any(options), guarantees)] as const);
    return [`Options for ${of}`, /^ERR_IDS_CONFIG$/, acts];
  }),
  ['A number format', /^ERR_IDS_CONFIG$/, wrongFormats],
  ['Other settings', /^ERR_IDS_CONFIG$/, Object.entries(otherSettings)],
  ['What has outgrown its form', /^ERR_IDS_EXHAUSTED$/, Object.entries(tooGreat)],
  ['What is not written', /^(Type|Range)Error$/, Object.entries(notWritten)],
  ['What is not read', /^SyntaxError$/, Object.entries(notRead)],
  ['What is no text', /^TypeError$/, Object.entries(noText)],
])('%s', async (title, expected, acts) => {
  page.section(title);
  for (const { message } of await page.refusals(expected, acts)) {
    expect(message).not.toMatch(new RegExp(`${KEY}|hunter2`));
  }
});

it('is shown of a text', () => {
  page.section('What is shown of a text');
  for (const text of shown) {
    const parts = inspectTypeid(text) ?? inspectUlid(text) ?? [];
    page.write(
      text,
      parts.flatMap(({ name, note }) => (note === undefined ? [] : [`${name}: ${note}`])).join('\n'),
    );
  }
  page.section('What is wrong with a text that looks like a TypeID or a ULID');
  for (const text of misspelt) page.write(text, formProblem(text) ?? '');
});

it('is on the page, each code of an error as well', () => page.compare());
