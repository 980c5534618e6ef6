/*
 * The dispenser protocol of src/lua/*.lua, src/dispenser.ts and src/refiller.ts, for Spin.
 *
 * Two Redis nodes with asynchronous replication, two clients, one database counter (two of them with -DREALMS=2), and
 * faults. Each script is one atomic step, as it is in Redis. Between two steps anything else may happen: any
 * delay, pause and reordering of clients comes for free, only faults are counted. A command whose reply is lost may run
 * again at any later time, and a command may arrive only after its client has given it up: on any node that serves, with
 * the arguments that it was sent with, whatever was lost in between.
 *
 * Each guard of the protocol can be switched off; verify.mjs requires that Spin then finds a broken promise:
 *   NO_FENCE        the hash is trusted whatever reign wrote it
 *   RUN_ID_FENCE    the fence reads the identity of the process, not the replication id
 *   NO_ROLE         a replica serves too
 *   NO_GENERATION   install does not ask which generation reserved the segment
 *   NO_MARK         install does not ask whether the segment lies above the high-water mark
 *   NO_FLOOR        a reservation does not raise a database that went back
 *   NO_REALM        take does not ask whose key it is
 *   BOOKED_IDS_STAY install leaves booked ids to whoever takes first
 *   UNNUMBERED_RING collect does not ask which fill the ring entry is from
 *   COLLECT_EATS    collect removes what it has read
 *   NAMED_BY_REQUEST a take that runs twice begins the same generation twice
 *   NO_ROOM         install does not ask how much the hash holds
 *   NO_EXPECTED     (with SEEN) a reservation does not ask where the database is
 *   NO_PAUSE        (with SEEN) whoever gave way looks again before the segment is installed that it gave way to
 *   MISSES_ADD_UP   (with GIVES_UP) reservations that gave way are counted over refills that others have made since
 * and the two limits of the promise can be overstepped, which must break it as well:
 *   DOUBLE_LOSS     Redis and the database both lose what they knew
 *   REWIND          the data of a running Redis process goes back
 * To count what is reserved and not given:
 *   SEEN            each client keeps the greatest max_id that it knows of, and reserves directly behind that only
 *   GIVES_UP        (with SEEN) a number: after so many that gave way in a row it reserves wherever the database is
 * To fit more faults into a complete search:
 *   FORGET          what can never be read again is forgotten at once
 *   SPLIT_BRAIN     false: two masters never serve at the same time
 */

/* Bounds. Ids are 1 .. LAST_ID, those of a second realm LAST_ID + 1 .. 2 * LAST_ID; no id may be above 14. */
#ifndef FAULTS
#define FAULTS 3
#endif
#ifndef TAKES
#define TAKES 2 /* by each client */
#endif
#ifndef LAST_ID
#define LAST_ID 8
#endif
#ifndef RING
#define RING 2 /* fills that collects can look back on */
#endif
#ifndef REALMS
#define REALMS 1
#endif
#ifndef STEP
#define STEP 2
#endif
#define LOW_WATER 1
#define MAX_DEBT 3

#ifndef SPLIT_BRAIN
#define SPLIT_BRAIN true
#endif

#define BIT(id) (1 << (id))
#define MAX(a, b) ((a) > (b) -> (a) : (b))

/* The first client asks for one id at a time, the second for two: a booking may begin in one fill and end in the next. */
#define WANTED(who) ((who) + 1)

#if REALMS == 1
#define REALM(who) 0
#define REALM_OF(id) 0
#else
#define REALM(who) (who)
#define REALM_OF(id) ((id) > LAST_ID)
#endif
#define LAST_ID_OF(realm) (LAST_ID * (1 + (realm)))

typedef Entry {
  unsigned number : 3; /* of the fill; 0: the slot was never used */
  unsigned low : 4;
  unsigned high : 4
};

/* The fields of the hash. A segment of which nothing is left is 0..0 here; in Redis its low end is one above its high end. */
typedef Hash {
  unsigned e : 3;  /* stamp of the reign that wrote it; 0: the key does not exist */
  unsigned r : 2;  /* realm + 1 */
  unsigned g : 4;  /* generation */
  unsigned vl : 4; /* current segment */
  unsigned vh : 4;
  unsigned nl : 4; /* next segment */
  unsigned nh : 4;
  unsigned m : 4;  /* high-water mark */
  unsigned d : 2;  /* debt */
  unsigned q : 3;  /* fills that served debt */
  unsigned k : 2;  /* holder of the refill lease + 1 */
  unsigned lows : 15; /* lower ends of the segments installed in this generation, as a set */
  Entry b[RING]
};

#define SNAPSHOT 2
Hash hash[3]; /* of the two nodes, and on disk */

bit master[2];
/* What the fence reads on a node: of a master the replication id of its reign, of a replica that of its master. */
byte stamp[2];

#define NO_FILL 0
#define LEASE 1  /* may reserve */
#define SEGMENT 2 /* has reserved, may install */
#define FAILED 3  /* has to give the lease back */

typedef Client {
  unsigned takes : 3; /* still to make */
  unsigned at : 2;    /* while two nodes serve: the one it is connected to + 1; 0: not connected yet */
  unsigned last : 4;  /* greatest id received */
  unsigned top : 4;   /* greatest bound heard of */
  /* The booking: `owed` ids, `offset` ids after fill number q of a generation. */
  unsigned owed : 2;
  unsigned generation : 4;
  unsigned q : 3;
  unsigned offset : 2;
  unsigned since : 4; /* ghost: the booked ids must be above this one */
  unsigned shown : 16; /* ghost: ids in a reply to a collect that was lost, as a set */
  /* The fill. */
  unsigned fill : 2;
  unsigned lease : 4; /* its generation */
  unsigned floor : 4;
  unsigned debt : 2;
  unsigned low : 4;
  unsigned high : 4;
#ifdef SEEN
  unsigned seen : 4; /* the greatest max_id that the process knows of */
#endif
#ifdef GIVES_UP
  unsigned misses : 2 /* reservations that gave way since the last one that was made */
#endif
};
Client client[2];

/*
 * A command of each client that nobody waits for: it may run, or run again, at any time. The arguments of a take are the
 * client's `last` and `top` as they were, those of an install the segment. Of a collect only the generation is kept, since
 * all that a collect changes is the lease.
 */
#define NOTHING 0
#define TAKE 1
#define WARM_UP 2 /* a take of nothing */
#define COLLECT 3
#define INSTALL 4
#define RELEASE 5
typedef Command {
  unsigned kind : 3;
  unsigned generation : 4; /* of a take with NAMED_BY_REQUEST: the one that it has begun */
  unsigned low : 4;        /* of a take: last */
  unsigned high : 4        /* of a take: top */
};
Command stray[2];

byte reserved[REALMS]; /* max_id in the database */

/* Ghosts. */
unsigned faults : 3 = FAULTS;
unsigned given : 16; /* ids that a client received, as a set */
byte received[REALMS]; /* the greatest of them */
/* False from a split brain on, until one master has begun a new generation: order is not promised in between. */
bit ordered = 1;

/* The promise is that ids are unique while Redis or the database keeps what it knew: whoever loses first is the only one to lose. */
#define NOBODY 0
#define REDIS 1
#define DATABASE 2
unsigned loser : 2 = NOBODY;
#ifdef DOUBLE_LOSS
#define MAY_LOSE(who) true
#else
#define MAY_LOSE(who) (loser == NOBODY || loser == who)
#endif

/* Somebody may still receive an id. */
#define LASTS(who) (client[who].takes > 0 || client[who].owed > 0)
#define GOES_ON (LASTS(0) || LASTS(1))

/* Scratch of a single d_step; assigned before it is read. */
hidden byte fresh, slot, i, id, wanted, length, size, held, name;
hidden byte its_last, its_top, its_generation, its_low, its_high;
hidden byte again, unheard;
hidden byte at_q, at_offset, at_owed, since;
hidden short found, gave;
hidden byte gone, fills;

/* ---------------------------------------------------------------- what faults do to a node */

inline copy(to, from) {
  hash[to].e = hash[from].e; hash[to].r = hash[from].r; hash[to].g = hash[from].g;
  hash[to].vl = hash[from].vl; hash[to].vh = hash[from].vh;
  hash[to].nl = hash[from].nl; hash[to].nh = hash[from].nh;
  hash[to].m = hash[from].m; hash[to].d = hash[from].d; hash[to].q = hash[from].q; hash[to].k = hash[from].k;
  hash[to].lows = hash[from].lows;
  i = 0;
  do
  :: i < RING ->
     hash[to].b[i].number = hash[from].b[i].number;
     hash[to].b[i].low = hash[from].b[i].low; hash[to].b[i].high = hash[from].b[i].high;
     i++
  :: else -> break
  od;
  i = 0 /* Spin makes no correct code of a d_step that ends with a loop */
}

inline clear(node) {
  hash[node].e = 0; hash[node].r = 0; hash[node].g = 0;
  hash[node].vl = 0; hash[node].vh = 0; hash[node].nl = 0; hash[node].nh = 0;
  hash[node].m = 0; hash[node].d = 0; hash[node].q = 0; hash[node].k = 0; hash[node].lows = 0;
  i = 0;
  do
  :: i < RING -> hash[node].b[i].number = 0; hash[node].b[i].low = 0; hash[node].b[i].high = 0; i++
  :: else -> break
  od
}

/* A stamp is only ever compared: any value that nobody remembers is a fresh one, the smallest keeps the search small. */
inline new_stamp(node) {
  fresh = 1;
  do
  :: fresh == stamp[0] || fresh == stamp[1] || fresh == hash[0].e || fresh == hash[1].e ||
     fresh == hash[SNAPSHOT].e -> fresh++
  :: else -> break
  od;
  stamp[node] = fresh
}

#ifdef NO_FENCE
inline begin_process(node) { skip }
#else
inline begin_process(node) { new_stamp(node) }
#endif

#if defined(NO_FENCE) || defined(RUN_ID_FENCE)
inline begin_reign(node) { skip }
inline sync(node) { copy(node, 1 - node) }
#else
inline begin_reign(node) { new_stamp(node) }
inline sync(node) { copy(node, 1 - node); stamp[node] = stamp[1 - node] }
#endif

inline reconnect() { client[0].at = 0; client[1].at = 0 }

inline promote(node) { master[node] = 1; reconnect(); begin_reign(node) }

/* After the last fault a replica and the snapshot cannot matter any more; forgetting them keeps the search small. */
inline fault() {
  faults--;
  if
  :: faults == 0 ->
     clear(SNAPSHOT);
     loser = NOBODY;
#ifndef NO_ROLE
     if
     :: !master[0] -> clear(0); stamp[0] = 0
     :: !master[1] -> clear(1); stamp[1] = 0
     :: else
     fi
#endif
  :: else
  fi
}

/*
 * Ring entries that no booking will look up are forgotten, which keeps the search small. Should a collect come for one
 * nevertheless, it finds it gone, and the assertion there fails.
 */
inline forget_ring(node) {
  if
  :: (client[0].owed == 0 || client[0].generation != hash[node].g) &&
     (client[1].owed == 0 || client[1].generation != hash[node].g) ->
     i = 0;
     do
     :: i < RING -> hash[node].b[i].number = 0; hash[node].b[i].low = 0; hash[node].b[i].high = 0; i++
     :: else -> break
     od
  :: else
  fi
}

inline drop_booking(who) {
  client[who].owed = 0; client[who].generation = 0; client[who].q = 0; client[who].offset = 0;
  client[who].since = 0; client[who].shown = 0
}

inline drop_stray(who) {
  stray[who].kind = NOTHING; stray[who].generation = 0; stray[who].low = 0; stray[who].high = 0
}

inline drop_fill(who) {
  client[who].fill = NO_FILL; client[who].lease = 0; client[who].floor = 0; client[who].debt = 0;
  client[who].low = 0; client[who].high = 0
}

#ifdef FORGET
/*
 * With the fence on, nobody reads more than the realm and the high-water mark of what another reign wrote; and that is
 * what a replica or a snapshot will be by the time it serves. Forgetting the rest changes no behaviour and allows larger bounds.
 */
inline forget_void(node) {
  if
  :: node == SNAPSHOT || !master[node] || hash[node].e != stamp[node] ->
     hash[node].e = 0; hash[node].g = 0;
     hash[node].vl = 0; hash[node].vh = 0; hash[node].nl = 0; hash[node].nh = 0;
     hash[node].d = 0; hash[node].q = 0; hash[node].k = 0; hash[node].lows = 0
  :: else
  fi
}
#define GENERATION_IS_OVER(its) (its != hash[0].g && its != hash[1].g)

/* A late segment, a booking and a stray command of a generation that is over will be answered VOID. */
inline forget_late(who) {
  if
  :: client[who].fill == SEGMENT && GENERATION_IS_OVER(client[who].lease) -> drop_fill(who)
  :: else
  fi;
  if
  :: client[who].owed > 0 && GENERATION_IS_OVER(client[who].generation) -> drop_booking(who)
  :: else
  fi;
  if
  :: stray[who].kind >= COLLECT && GENERATION_IS_OVER(stray[who].generation) -> drop_stray(who)
  :: else
  fi
}
#else
inline forget_void(node) { skip }
inline forget_late(who) { skip }
#endif

/* The marks of a client that will not ask again. */
inline forget_marks(who) {
  if
  :: client[who].takes == 0 && client[who].owed == 0 -> client[who].last = 0; client[who].top = 0
  :: else
  fi
}

inline forget() {
  forget_void(0); forget_void(1); forget_void(SNAPSHOT);
  forget_late(0); forget_late(1);
  forget_marks(0); forget_marks(1);
  if
  :: GOES_ON
  :: else -> drop_stray(0); drop_stray(1)
  fi;
  forget_ring(0); forget_ring(1); forget_ring(SNAPSHOT)
}

/* ---------------------------------------------------------------- the scripts, and the client's side of their replies */

#define H hash[node]
#define C client[me]
#define LEFT ((H.vl == 0 -> 0 : H.vh - H.vl + 1) + (H.nl == 0 -> 0 : H.nh - H.nl + 1))

/* What the connection loses: the reply, so that the command may run again, or the command, which may still arrive. */
#define NONE 0
#define REPLY 1
#define COMMAND 2

#ifdef NO_ROLE
#define SERVES(n) true
#else
#define SERVES(n) master[n]
#endif
#ifdef NO_REALM
#define OURS(n) true
#else
#define OURS(n) (hash[n].r == 0 || hash[n].r == REALM(me) + 1)
#endif

/* The client's #give: ids in rising order, a gap rather than a repeat of its own. */
inline receive(ids, above) {
  id = 1;
  do
  :: id <= LAST_ID * REALMS ->
     if
     :: (ids & BIT(id)) && id > C.last ->
        assert(!(given & BIT(id)));                 /* no id is given twice */
        assert(!(client[1 - me].shown & BIT(id)));  /* nor after another client's collect found it */
        assert(REALM_OF(id) == REALM(me));          /* an id comes from the caller's own database */
        assert(id > above);                         /* and is greater than all received before it was asked for */
        given = given | BIT(id);
        C.last = id
     :: else
     fi;
     id++
  :: else -> break
  od;
  received[REALM(me)] = MAX(received[REALM(me)], C.last)
}

/* Where the booking of client `who` stands: `found` are its ids, as a set; `gone` when the ring has moved on. */
inline look_up(who) {
  found = 0; gone = 0;
  at_q = client[who].q; at_offset = client[who].offset; at_owed = client[who].owed;
  do
  :: at_owed > 0 && at_q < H.q && !gone ->
     slot = (at_q + 1) % RING;
     if
#ifndef UNNUMBERED_RING
     :: H.b[slot].number != at_q + 1 -> gone = 1
#endif
     :: else ->
        length = H.b[slot].high - H.b[slot].low + 1;
        do
        :: at_owed > 0 && at_offset < length ->
           found = found | BIT(H.b[slot].low + at_offset);
           at_offset++; at_owed--
        :: else -> break
        od;
        if
        :: at_offset >= length -> at_offset = at_offset - length; at_q++
        :: else
        fi
     fi
  :: else -> break
  od
}

/*
 * The lease is advice: `lapsed` lets it be granted a second time whenever its holder is slow. It names its holder, who
 * gets it again. A client that fills asks for none, until its fill has lasted longer than a lease does.
 */
#define MAY_BE_GRANTED ((H.k == 0 || H.k == me + 1 || lapsed) && (again || C.fill == NO_FILL || lapsed))
inline grant() {
  H.k = me + 1;
  if
  :: !unheard && C.fill == NO_FILL -> C.fill = LEASE; C.lease = H.g; C.floor = H.m; C.debt = H.d;
#if defined(GIVES_UP) && !defined(MISSES_ADD_UP)
     if
     :: C.floor >= C.seen -> C.misses = 0 /* what it gave way to was installed */
     :: else
     fi
#endif
  :: else /* a reply that was lost, or a second fill of the same client: as if its holder had died */
  fi
}

/* `name` is the generation that an earlier run of the same command has begun; 0: none, or a name is never given again. */
inline new_generation() {
  fresh = 1;
  do
  :: fresh == hash[0].g || fresh == hash[1].g || fresh == hash[SNAPSHOT].g ||
     fresh == client[0].generation || fresh == client[1].generation ||
     fresh == client[0].lease || fresh == client[1].lease ||
     fresh == stray[0].generation || fresh == stray[1].generation -> fresh++
  :: else -> break
  od;
  name = (name == 0 -> fresh : name);
  H.g = name;
  H.vl = 0; H.vh = 0; H.nl = 0; H.nh = 0; H.d = 0; H.q = 0; H.k = 0; H.lows = 0;
  ordered = ordered || !(master[0] && master[1])
}

inline switch_to_next() {
  if
  :: H.vl == 0 && H.nl != 0 -> H.vl = H.nl; H.vh = H.nh; H.nl = 0; H.nh = 0
  :: else
  fi
}

/* Of `me`, with `its_last`, `its_top` and `wanted`. */
inline take() {
  id = (H.vl != 0 -> H.vl : H.nl);
  if
  :: H.e != stamp[node] || H.g == 0 || (id != 0 && id <= its_last) -> new_generation()
  :: else -> name = 0
  fi;
  H.e = stamp[node];
  H.r = REALM(me) + 1;
  H.m = MAX(H.m, its_top);

  /* The caller asked at this moment at the latest, so nothing that anybody has received by now may be above its ids. */
  since = (ordered -> received[REALM(me)] : C.last);
  gave = 0;
  switch_to_next();
  do
  :: wanted > 0 && H.vl != 0 ->
     gave = gave | BIT(H.vl);
     wanted--;
     if
     :: H.vl < H.vh -> H.vl = H.vl + 1
     :: else -> H.vl = 0; H.vh = 0
     fi;
     switch_to_next()
  :: else -> break
  od;

  /* A booked id is given to nobody else, nor to another command of the client that booked it. */
  if
  :: client[0].owed > 0 && client[0].generation == H.g -> look_up(0); assert(!(gave & found))
  :: else
  fi;
  if
  :: client[1].owed > 0 && client[1].generation == H.g -> look_up(1); assert(!(gave & found))
  :: else
  fi;

  if
  :: wanted > 0 && H.d + wanted <= MAX_DEBT ->
     if
     :: !unheard -> C.owed = wanted; C.generation = H.g; C.q = H.q; C.offset = H.d; C.since = since
     :: else
     fi;
     H.d = H.d + wanted
  :: else
  fi;

  fills = H.nl == 0 && (H.vl == 0 || H.vh - H.vl + 1 <= LOW_WATER) && MAY_BE_GRANTED;
  if
  :: fills -> grant()
  :: else
  fi;
  if
  :: !unheard -> C.top = MAX(C.top, H.m); receive(gave, since)
  :: else
  fi
}

inline send_take() {
  wanted = (warm -> 0 : WANTED(me)); its_last = C.last; its_top = C.top; name = 0;
  again = 0; unheard = (loss != NONE);
  C.takes--;
  if
  :: loss != NONE -> stray[me].kind = (warm -> WARM_UP : TAKE); stray[me].low = its_last; stray[me].high = its_top
  :: else
  fi;
  if
  :: loss != COMMAND -> take()
  :: else
  fi;
#ifdef NAMED_BY_REQUEST
  if
  :: loss != NONE -> stray[me].generation = name
  :: else
  fi
#else
  skip
#endif
}

inline take_again() {
  wanted = (stray[me].kind == TAKE -> WANTED(me) : 0); its_last = stray[me].low; its_top = stray[me].high;
  name = 0;
#ifdef NAMED_BY_REQUEST
  name = stray[me].generation;
#endif
  again = 1; unheard = 1;
  drop_stray(me);
  take()
}



inline collect() {
  if
  :: H.e != stamp[node] || H.g != C.generation -> gone = 1; /* VOID */
  :: else ->
     look_up(me);
     assert(!gone || H.q > at_q + RING); /* nothing is lost that the ring can still hold */
     if
     :: !gone && at_owed > 0 && (at_q > H.q || at_offset + at_owed > H.d) -> gone = 1 /* an older hash was put back */
     :: else
     fi;
     if
     :: !gone ->
        assert((C.shown & found) == C.shown); /* a repeated collect finds what the first one found */
        if
        :: at_owed > 0 && MAY_BE_GRANTED -> grant()
        :: else
        fi;
#ifdef COLLECT_EATS
        if
        :: found -> H.b[(C.q + 1) % RING].number = 0
        :: else
        fi;
#endif
        if
        :: unheard -> C.shown = found
        :: else -> C.top = MAX(C.top, H.m); receive(found, C.since)
        fi
     :: else -> skip
     fi
  fi;
  if
  :: unheard
  :: !unheard && (gone || at_owed == 0) -> drop_booking(me)
  :: else -> C.owed = at_owed; C.q = at_q; C.offset = at_offset; C.shown = 0
  fi
}

inline send_collect() {
  again = 0; unheard = (loss != NONE);
  if
  :: loss != NONE -> drop_stray(me); stray[me].kind = COLLECT; stray[me].generation = C.generation
  :: else
  fi;
  if
  :: loss != COMMAND -> collect()
  :: else
  fi
}

inline collect_again() {
  again = 1; unheard = 1;
  if
  :: H.e == stamp[node] && H.g == stray[me].generation && H.d > 0 && MAY_BE_GRANTED -> grant()
  :: else
  fi;
  drop_stray(me)
}

/*
 * Where a client expects the database. A database above that is left alone: the client notes where it is and gives its
 * lease back. With SEEN each client keeps what it knows; without, it may know anything from its floor upwards, so that it
 * reserves or gives way as it likes.
 */
#ifdef SEEN
#define KNOWN MAX(C.floor, C.seen)
#ifdef GIVES_UP
#define GAVE_WAY_OFTEN (C.misses >= GIVES_UP)
#else
#define GAVE_WAY_OFTEN false
#endif
#ifdef NO_EXPECTED
#define EXPECTED true
#else
#define EXPECTED (reserved[REALM(me)] <= KNOWN || GAVE_WAY_OFTEN)
#endif
#define MISSED (!EXPECTED)
#else
#define KNOWN C.floor
#define EXPECTED true
#define MISSED (reserved[REALM(me)] > KNOWN)
#endif

#ifdef NO_FLOOR
#define RESERVED_BEFORE reserved[REALM(me)]
#else
#define RESERVED_BEFORE MAX(reserved[REALM(me)], KNOWN)
#endif

/* `length` is how many ids were given. */
inline count_given() {
  id = 1; length = 0;
  do
  :: id <= LAST_ID -> length = length + ((given & BIT(id)) -> 1 : 0); id++
  :: else -> break
  od;
  id = 0
}

#define SIZE MAX(STEP, C.debt)
#define MAY_RESERVE (RESERVED_BEFORE + SIZE <= LAST_ID_OF(REALM(me)))

inline reserve() {
  size = SIZE;
  C.low = RESERVED_BEFORE + 1;
  C.high = RESERVED_BEFORE + size;
  reserved[REALM(me)] = C.high;
  C.debt = 0;
  C.fill = SEGMENT;
#ifdef SEEN
  C.seen = MAX(C.seen, C.high);
#ifdef GIVES_UP
  C.misses = 0;
#endif
  /* What is reserved and not given: what was left when the lease was granted, one segment, and what is booked. */
  count_given();
  assert(faults < FAULTS || reserved[0] - length <= LOW_WATER + STEP + client[0].owed + client[1].owed)
#endif
}

inline fail() { C.fill = FAILED; C.floor = 0; C.debt = 0; C.low = 0; C.high = 0 }

inline miss() {
#ifdef SEEN
  C.seen = reserved[REALM(me)];
#endif
#ifdef GIVES_UP
  C.misses++;
#endif
  fail()
}

/* Of `me`, with `its_generation`, `its_low` and `its_high`. */
inline install() {
  if
#ifdef NO_GENERATION
  :: H.e != stamp[node] || H.g == 0 -> skip
#else
  :: H.e != stamp[node] || H.g != its_generation -> skip
#endif
  :: else ->
     fills = 1;
     length = its_high - its_low + 1;
     if
     :: H.lows & BIT(its_low) -> /* OK, because an earlier run has installed it: nothing changes */
        assert(again || H.m > C.floor);
        fills = 0
#ifndef NO_MARK
     :: !(H.lows & BIT(its_low)) && its_low <= H.m -> /* LOW */
        assert(again || H.m > C.floor); /* another fill was faster; a database that went back costs none */
        fills = 0
#endif
     :: else ->
        if
#ifndef NO_ROOM
        :: LEFT > LOW_WATER -> fills = 0; /* FULL */
        :: LEFT <= LOW_WATER ->
#else
        :: true ->
#endif
           if
           :: H.d > 0 ->
              H.q = H.q + 1;
              H.b[H.q % RING].number = H.q; H.b[H.q % RING].low = its_low; H.b[H.q % RING].high = its_high;
              size = (H.d < length -> H.d : length); /* of it is spoken for */
              H.d = H.d - size;
#ifdef BOOKED_IDS_STAY
              size = 0;
#endif
              if
              :: size < length -> H.vl = its_low + size; H.vh = its_high
              :: else -> H.vl = 0; H.vh = 0
              fi
           :: H.d == 0 && H.vl == 0 && H.nl == 0 -> H.vl = its_low; H.vh = its_high
           :: H.d == 0 && H.vl != 0 && H.nl == 0 -> H.nl = its_low; H.nh = its_high
           :: H.d == 0 && H.nl != 0 && its_low == H.nh + 1 -> H.nh = its_high
           :: else -> fills = 0; /* FULL */
           fi
        fi
     fi;
     if
     :: fills ->
        H.m = its_high;
        H.lows = H.lows | BIT(its_low);
        held = LEFT;
        assert(held <= LOW_WATER + length) /* what is held stays bounded */
     :: else
     fi;
     if
     :: H.k == me + 1 && (fills || !(H.lows & BIT(its_low))) -> H.k = 0
     :: else
     fi
  fi
}

/* A client that gets no reply gives the lease back. */
inline send_install() {
  again = 0;
  its_generation = C.lease; its_low = C.low; its_high = C.high;
  if
  :: loss != COMMAND -> install()
  :: else
  fi;
  if
  :: loss != NONE ->
     stray[me].kind = INSTALL; stray[me].generation = its_generation; stray[me].low = its_low; stray[me].high = its_high;
     fail()
  :: else -> drop_fill(me)
  fi
}

/* `heard`: the client still waits for the reply. */
inline install_again() {
  again = 1;
  its_generation = stray[me].generation; its_low = stray[me].low; its_high = stray[me].high;
  install();
  if
  :: heard -> drop_fill(me)
  :: else
  fi;
  drop_stray(me)
}

inline release() {
  if
  :: H.g == its_generation && H.k == me + 1 -> H.k = 0
  :: else
  fi
}

inline send_release() {
  its_generation = C.lease;
  if
  :: loss != COMMAND -> release()
  :: else
  fi;
  if
  :: loss != NONE -> drop_stray(me); stray[me].kind = RELEASE; stray[me].generation = its_generation
  :: else
  fi;
  drop_fill(me)
}

inline release_again() {
  its_generation = stray[me].generation;
  release();
  drop_stray(me)
}

/* ---------------------------------------------------------------- who acts */

#define REACHES(n) (SERVES(n) && C.at != 2 - (n))
inline connect() { C.at = (SERVES(0) && SERVES(1) -> node + 1 : 0) }

#define A_NODE_SERVES if :: REACHES(0) -> node = 0 :: REACHES(1) -> node = 1 fi
#define A_NODE_ADMITS if :: REACHES(0) && OURS(0) -> node = 0 :: REACHES(1) && OURS(1) -> node = 1 fi
#define ANY_NODE_SERVES if :: SERVES(0) -> node = 0 :: SERVES(1) -> node = 1 fi
#define ANY_NODE_ADMITS if :: SERVES(0) && OURS(0) -> node = 0 :: SERVES(1) && OURS(1) -> node = 1 fi
#define THE_LEASE_MAY_LAPSE if :: H.k != 0 || C.fill != NO_FILL -> lapsed = 1 :: lapsed = 0 fi
#define IT_MAY_ONLY_WARM_UP if :: warm = 1 :: warm = 0 fi
#define IT_MAY_BE_LOST if :: faults > 0 -> loss = REPLY :: faults > 0 -> loss = COMMAND :: loss = NONE fi

#define MAY_FAIL (faults > 0 && GOES_ON)

/* The pause of src/refiller.ts: whoever gave way looks again only when the segment that it gave way to is installed. */
#if defined(SEEN) && !defined(NO_PAUSE)
#define PAUSE_IS_OVER (client[1 - me].fill != SEGMENT)
#else
#define PAUSE_IS_OVER true
#endif

/*
 * A pump that takes and collects, and a fill that goes on beside it. While two nodes serve, a client stays with the one
 * that it reached first, until its connection breaks.
 */
proctype Process(bit me) {
  bit node, lapsed, warm, heard;
  unsigned loss : 2;
end:
  do
  :: atomic {
       if
       :: C.takes > 0 && C.owed == 0 && ((REACHES(0) && OURS(0)) || (REACHES(1) && OURS(1))) ->
          A_NODE_ADMITS; THE_LEASE_MAY_LAPSE; IT_MAY_BE_LOST; IT_MAY_ONLY_WARM_UP;
          d_step { send_take(); connect() }
       :: C.owed > 0 ->
          A_NODE_SERVES; THE_LEASE_MAY_LAPSE; IT_MAY_BE_LOST;
          d_step { send_collect(); connect() }
       :: GOES_ON && C.fill == LEASE ->
          if
          :: d_step { EXPECTED && MAY_RESERVE -> reserve() }
          :: d_step { MISSED -> miss() }
          :: d_step { !MAY_RESERVE -> fail() }
          :: d_step { faults > 0 -> fail(); fault() }
          fi
       :: GOES_ON && C.fill == SEGMENT ->
          A_NODE_SERVES; IT_MAY_BE_LOST;
          d_step { send_install(); connect() }
       :: GOES_ON && C.fill == FAILED && PAUSE_IS_OVER ->
          A_NODE_SERVES; IT_MAY_BE_LOST;
          d_step { send_release(); connect() }
       :: (stray[me].kind == TAKE || stray[me].kind == WARM_UP) &&
          ((SERVES(0) && OURS(0)) || (SERVES(1) && OURS(1))) ->
          ANY_NODE_ADMITS; THE_LEASE_MAY_LAPSE;
          d_step { take_again() }
       :: stray[me].kind == COLLECT ->
          ANY_NODE_SERVES; THE_LEASE_MAY_LAPSE;
          d_step { collect_again() }
       :: stray[me].kind == INSTALL ->
          ANY_NODE_SERVES;
          if
          :: C.fill == FAILED && C.lease == stray[me].generation -> heard = 1
          :: heard = 0
          fi;
          d_step { install_again() }
       :: stray[me].kind == RELEASE ->
          ANY_NODE_SERVES;
          d_step { release_again() }
       :: d_step { MAY_FAIL && C.at != 0 -> /* the connection breaks */
            C.at = 0; fault() }
       :: d_step { MAY_FAIL && C.top > 0 -> /* the process is killed and started again */
            C.last = 0; C.top = 0; drop_booking(me); drop_fill(me);
#ifdef SEEN
            C.seen = reserved[REALM(me)];
#endif
#ifdef GIVES_UP
            C.misses = 0;
#endif
            fault() }
       fi;
       d_step {
         if
         :: loss != NONE -> C.at = 0; fault()
         :: else
         fi;
         node = 0; lapsed = 0; loss = NONE; warm = 0; heard = 0;
         forget();
       }
     }
  od
}

proctype Faults() {
  bit n;
end:
  do
  :: atomic {
       MAY_FAIL ->
       if
       :: n = 0
       :: n = 1
       fi;
       if
       :: d_step { !master[n] && master[1 - n] -> /* replication catches up: no fault */
            sync(n) }
       :: d_step { !master[n] && master[1 - n] -> /* planned failover */
            sync(n); master[1 - n] = 0; promote(n); fault() }
       :: d_step { !master[n] && master[1 - n] && MAY_LOSE(REDIS) -> /* failover: the master died */
            loser = REDIS; master[1 - n] = 0; promote(n); fault() }
       :: d_step { !master[n] && master[1 - n] && MAY_LOSE(REDIS) && SPLIT_BRAIN -> /* it did not die */
            loser = REDIS; ordered = 0; promote(n); fault() }
       :: d_step { master[n] && master[1 - n] -> /* the end of a split brain */
            master[n] = 0; reconnect(); sync(n); fault() }
       :: d_step { master[n] && faults > 1 -> /* written to disk */
            copy(SNAPSHOT, n); fault() }
       :: d_step { master[n] && MAY_LOSE(REDIS) -> /* killed and started again */
            loser = REDIS; copy(n, SNAPSHOT); begin_process(n); fault() }
       :: d_step { master[n] && MAY_LOSE(REDIS) -> /* flushed, evicted or expired */
            loser = REDIS; clear(n); fault() }
#ifdef REWIND
       :: d_step { master[n] ->
            copy(n, SNAPSHOT); fault() }
#endif
       :: d_step { MAY_LOSE(DATABASE) && reserved[0] > 0 -> /* the latest commit is lost */
            loser = DATABASE; reserved[0] = (reserved[0] > STEP -> reserved[0] - STEP : 0); fault() }
       :: true
       fi;
       d_step { n = 0; forget() }
     }
  od
}

init {
  atomic {
    master[0] = 1;
    stamp[0] = 1;
#ifdef RUN_ID_FENCE
    stamp[1] = 2;
#else
    stamp[1] = 1;
#endif
    client[0].takes = TAKES;
    client[1].takes = TAKES;
#if REALMS == 2
    reserved[1] = LAST_ID;
#endif
    run Process(0);
    run Process(1);
    run Faults()
  }
}
