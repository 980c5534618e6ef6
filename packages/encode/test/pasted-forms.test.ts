import { expect, it } from 'vitest';
import { pastedForms } from '../src/pasted-forms.js';

const UUID = '019b76da-a800-7abc-9d78-9abcfedcba98';
const OBJECT_ID = '5a17b9d9ab102555b9c38874';
const TYPEID = 'user_01kdvdna007ayae7khnbz9xemr';

it.each([
  [UUID, UUID],
  [` ${UUID}\n`, UUID],
  [UUID.toUpperCase(), UUID],
  [`{${UUID.toUpperCase()}}`, UUID],
  [`urn:uuid:${UUID}`, UUID],
  [UUID.replaceAll('-', ''), UUID],
  [`UUID("${UUID}")`, UUID],
  [`"${UUID}"`, UUID],
  [OBJECT_ID.toUpperCase(), OBJECT_ID],
  [`ObjectId("${OBJECT_ID}")`, OBJECT_ID],
  [`new ObjectId('${OBJECT_ID}')`, OBJECT_ID],
  [`{"$oid": "${OBJECT_ID}"}`, OBJECT_ID],
  [TYPEID.toUpperCase(), TYPEID],
  ['ORD_8XkZ', 'ord_8XkZ'],
])('reads %j as %s', (pasted, id) => {
  expect(pastedForms(pasted)).toContain(id);
});

it('changes no case that may distinguish two ids', () => {
  expect(pastedForms('8XkZAbC')).toEqual(['8XkZAbC']);
  expect(pastedForms('ord_8XkZ')).toEqual(['ord_8XkZ']);
});

it('reads a long text of quotes', () => {
  expect(pastedForms('"'.repeat(100_000))).toHaveLength(2);
});
