import { createCodec } from '@ids/encode';
import { parseObjectId } from '@ids/objectid/tools';
import { createUuid7Generator, parseUuid7 } from '@ids/uuid7';

interface Answer {
  readonly uuid: string;
  readonly typeId: string;
  readonly objectId: string;
}

const codec = createCodec<string>(createUuid7Generator().guarantees, { form: 'typeid', prefix: 'order' });
const REQUESTS = 20;

/**
 * Asks the edge recipe for ids, one request after the other, and returns what is wrong with them, `[]` if
 * nothing is: each has the time of its request, the TypeID is that of the UUID, and both kinds rise from
 * request to request.
 */
export async function edgeProblems(ask: () => Promise<{ json(): Promise<unknown> }>): Promise<string[]> {
  const problems: string[] = [];
  let last: Answer | undefined;
  for (let request = 1; request <= REQUESTS; request++) {
    const before = Date.now();
    const answer = (await (await ask()).json()) as Answer;
    const after = Date.now();
    const expect = (holds: boolean, what: string): void => {
      if (!holds)
        problems.push(`request ${request}: ${what}, got ${JSON.stringify({ answer, before, after, last })}`);
    };
    const { ms } = parseUuid7(answer.uuid);
    expect(ms >= before && ms <= after, 'the UUID must have the time of the request');
    expect(codec.decode(answer.typeId) === answer.uuid, 'the TypeID must be that of the UUID');
    const second = parseObjectId(answer.objectId).date.getTime();
    expect(second >= before - (before % 1_000) && second <= after, 'the ObjectId must have its second');
    if (last) {
      expect(answer.uuid > last.uuid, 'the UUID must be above the last');
      expect(answer.objectId > last.objectId, 'the ObjectId must be above the last');
    }
    last = answer;
  }
  return problems;
}
