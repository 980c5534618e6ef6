/** The assertions of the model: what Spin prints of one that failed, and the promise that it stands for. */
export const PROMISES = [
  { text: 'given&(1<<', promise: 'id given twice' },
  { text: 'gave&found', promise: 'booked id given away' },
  { text: '.shown&(1<<', promise: 'booked id given away' },
  { text: '.shown&found', promise: 'collect not repeatable' },
  { text: '(gone)', promise: 'booked id lost' },
  { text: 'since)', promise: 'order broken' },
  { text: ')==me', promise: 'id of another realm' },
  { text: '.floor)', promise: 'reservation wasted' },
  { text: 'held<=', promise: 'held without bound' },
  { text: 'reserved[0]-length', promise: 'reserved without bound' },
];

/**
 * What is searched: `defines` for Spin, and `expected`, the broken promises of which one must be found. Sound
 * variants expect none: the search must be complete and find nothing.
 */
const sound = (name, defines) => ({ name, defines, expected: [] });

/**
 * Without faults, what is reserved and not given is bounded. The ring is long enough for the slowest collect.
 */
const COUNTED = { FAULTS: 0, TAKES: 3, LAST_ID: 8, RING: 4, SEEN: '' };

export const SOUND_QUICK = [
  sound('sound', { FAULTS: 1, TAKES: 2, LAST_ID: 6 }),
  sound('sound, 2 faults, no split brain', {
    FAULTS: 2,
    TAKES: 2,
    LAST_ID: 4,
    SPLIT_BRAIN: 'false',
    FORGET: '',
  }),
  sound('sound, 2 faults, 2 realms', { FAULTS: 2, TAKES: 2, LAST_ID: 6, REALMS: 2 }),
  sound('sound, no fault, counted', COUNTED),
  sound('sound, no fault, counted, gives up', { ...COUNTED, GIVES_UP: 1 }),
];

export const SOUND_LARGE = [
  sound('sound', { FAULTS: 1, TAKES: 2, LAST_ID: 8 }),
  sound('sound, 2 faults', { FAULTS: 2, TAKES: 2, LAST_ID: 4, FORGET: '' }),
  sound('sound, 2 faults, no split brain', {
    FAULTS: 2,
    TAKES: 2,
    LAST_ID: 6,
    SPLIT_BRAIN: 'false',
    FORGET: '',
  }),
  sound('sound, 3 faults, no split brain', {
    FAULTS: 3,
    TAKES: 2,
    LAST_ID: 2,
    SPLIT_BRAIN: 'false',
    FORGET: '',
  }),
  sound('sound, 3 faults, 2 realms', { FAULTS: 3, TAKES: 2, LAST_ID: 4, REALMS: 2, FORGET: '' }),
  sound('sound, no fault, counted', COUNTED),
  sound('sound, no fault, counted, gives up', { ...COUNTED, GIVES_UP: 1 }),
];

const unsound = (name, expected, more) => ({
  name,
  defines: { FAULTS: 2, TAKES: 2, LAST_ID: 6, [name]: '', ...more },
  expected,
});

/** Two faults in a row are needed here: found sooner where there is less to try. */
const SMALL = { LAST_ID: 3, SPLIT_BRAIN: 'false' };

export const UNSOUND = [
  unsound('NO_FENCE', ['id given twice', 'booked id given away']),
  unsound('RUN_ID_FENCE', ['id given twice'], SMALL),
  unsound('NO_ROLE', ['id given twice', 'order broken']),
  unsound('NO_GENERATION', ['order broken']),
  unsound('NO_MARK', ['id given twice', 'order broken']),
  unsound('NO_FLOOR', ['reservation wasted']),
  unsound('NO_REALM', ['id of another realm'], { REALMS: 2 }),
  unsound('BOOKED_IDS_STAY', ['id given twice', 'booked id given away']),
  unsound('UNNUMBERED_RING', ['id given twice', 'booked id given away']),
  unsound('COLLECT_EATS', ['booked id lost']),
  unsound('NAMED_BY_REQUEST', ['id given twice', 'booked id given away'], SMALL),
  unsound('NO_ROOM', ['held without bound']),
  unsound('NO_EXPECTED', ['reserved without bound'], COUNTED),
  unsound('NO_PAUSE', ['reserved without bound'], COUNTED),
  unsound('MISSES_ADD_UP', ['reserved without bound'], { ...COUNTED, GIVES_UP: 1 }),
  unsound('DOUBLE_LOSS', ['id given twice'], SMALL),
  unsound('REWIND', ['id given twice'], SMALL),
];
