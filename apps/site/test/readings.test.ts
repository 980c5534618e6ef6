import { idsCommand } from '@ids/cli';
import { formProblem } from '@ids/encode';
import { gpid } from '@ids/gpid';
import { objectid } from '@ids/objectid/machine-pid';
import { segmentInproc } from '@ids/segment-inproc';
import { snowflake } from '@ids/snowflake';
import { uuid7 } from '@ids/uuid7';
import { describe, expect, it } from 'vitest';
import { readingsOf, whyUnread } from '../src/readings.js';

const strategies = [objectid, uuid7, gpid, segmentInproc, snowflake];

/** What `ids inspect` reads in `text`, outside of a project. */
async function command(text: string): Promise<[readAs: string, parts: unknown][]> {
  let written = '';
  const stdout = {
    write: (chunk: string) => {
      written += chunk;
    },
  };
  const context = { strategies, cwd: '/', environment: {}, stdout, stderr: { write: () => undefined } };
  await idsCommand(['inspect', text, '--json'], context as unknown as Parameters<typeof idsCommand>[1]);
  const { readings } = JSON.parse(written) as {
    readings: { strategy?: string; form?: string; parts: unknown }[];
  };
  return readings.map(({ strategy, form, parts }) => [strategy ?? form ?? '', parts]);
}

describe('readingsOf', () => {
  it.each([
    ['an ObjectId', '5a17b9d9ab102555b9c38874', ['objectid']],
    ['a UUID of version 7', '019b76da-a800-7abc-9d78-9abcfedcba98', ['uuid7']],
    ['a snowflake, or a number of a sequence that is too long', '250278837173092352', ['snowflake']],
    ['a snowflake in 53 bits, or a number of a sequence', '182609510404161', ['snowflake', 'segment-inproc']],
    ['a number', '48001', ['segment-inproc']],
    ['a UUID of version 4', '9f9a4f4c-7c55-4c58-9d6f-0d2a4ef5a3a1', []],
    ['a word', 'hello', []],
    ['an ObjectId in upper case', '5A17B9D9AB102555B9C38874', ['objectid']],
    ['a TypeID', 'order_01h455vb4pex5vsknk084sn02q', ['typeid']],
    ['a ULID', '01ARZ3NDEKTSV4RRFFQ69G5FAV', ['ulid']],
    ['a TypeID in upper case', 'ORDER_01H455VB4PEX5VSKNK084SN02Q', ['typeid']],
    ['a ULID in mixed case', '01ARZ3NDEKTSV4RRFFQ69G5FAv', []],
  ])('reads %s as the command does', async (_, text, expected) => {
    const readings = new Map(readingsOf(text).map(({ readAs, parts }) => [readAs.split(',')[0], parts]));
    expect([...readings.keys()].sort()).toEqual([...expected].sort());
    expect(readings).toEqual(new Map(await command(text)));
  });

  it.each([
    ['hello', 'a TypeID or a ULID.'],
    [' Order_01h455vb4pex5vsknk084sn02q', formProblem('Order_01h455vb4pex5vsknk084sn02q') ?? 'a problem'],
    ['01arZ3NDEKTSV4RRFFQ69G5FAV', `${formProblem('01arZ3NDEKTSV4RRFFQ69G5FAV')}.`],
  ])('says of %j why nothing reads it', (text, why) => {
    expect(readingsOf(text)).toEqual([]);
    expect(whyUnread(text)).toContain(why);
  });

  it('leaves out spaces around what is pasted', () => {
    expect(readingsOf(' 48001\n')).toEqual(readingsOf('48001'));
    expect(readingsOf('480 01')).toEqual([]);
  });
});
