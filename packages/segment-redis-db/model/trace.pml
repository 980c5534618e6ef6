/*
 * With -DTRACE a simulation (spin -nSEED -T) prints one walk after the other: each step, and the state after it. The simulator
 * in packages/simulator takes them with the scripts themselves. A search has none of this, so its states are the same.
 *
 * A line is a kind and pairs of a name and a number. A step may have several lines and ends with `end`; a walk with `begin`.
 */
#define SAY(...) printf(__VA_ARGS__);
#define REPORT report()
/* A walk tosses between options: repeated, the one without a fault comes more often, so that faults do not all come at once. */
#define MOSTLY(choice) :: choice :: choice :: choice :: choice :: choice :: choice :: choice :: choice :: choice :: choice

/* Nor does a client look at its booking all the time, unless there is nothing else to do. */
#define LOOKS (steps % 6 == 0 || timeout)

#ifndef STEPS
#define STEPS 80 /* of one walk, about */
#endif
byte steps = STEPS;

inline report_hash(which) {
  SAY("hash node %d e %d r %d g %d vl %d vh %d nl %d nh %d m %d d %d q %d k %d\n", which, hash[which].e, hash[which].r,
    hash[which].g, hash[which].vl, hash[which].vh, hash[which].nl, hash[which].nh, hash[which].m, hash[which].d,
    hash[which].q, hash[which].k)
  i = 0;
  do
  :: i < RING ->
     if
     :: hash[which].b[i].number != 0 ->
        SAY("entry node %d number %d low %d high %d\n", which, hash[which].b[i].number, hash[which].b[i].low,
          hash[which].b[i].high)
     :: else
     fi;
     i++
  :: else -> break
  od
}

inline report() {
  report_hash(0); report_hash(1); report_hash(SNAPSHOT);
  SAY("end faults %d master0 %d stamp0 %d master1 %d stamp1 %d\n", faults, master[0], stamp[0], master[1], stamp[1])
  steps = (steps > 0 -> steps - 1 : 0)
}
