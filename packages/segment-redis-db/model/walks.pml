/* With -DTRACE: walks in one simulation, one after the other, since Spin takes longer to start than to walk. See trace.pml. */

inline begin_client(who) {
  drop_booking(who); drop_fill(who); drop_stray(who);
  client[who].takes = TAKES; client[who].at = 0; client[who].last = 0; client[who].top = 0
}

/* Begins again as `init` does, after so many steps or when all have had their ids. */
proctype Walks() {
  do
  :: d_step {
       steps == 0 || (timeout && !GOES_ON) ->
       steps = STEPS;
       clear(0); clear(1); clear(SNAPSHOT);
       master[0] = 1; master[1] = 0;
       stamp[0] = 1; stamp[1] = 1;
       begin_client(0); begin_client(1);
       reserved[0] = 0; received[0] = 0;
#if REALMS == 2
       reserved[1] = LAST_ID; received[1] = 0;
#endif
       faults = FAULTS; given = 0; ordered = 1; loser = NOBODY;
       SAY("begin\n")
       skip
     }
  od
}
