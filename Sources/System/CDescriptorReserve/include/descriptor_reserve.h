#ifndef DESCRIPTOR_RESERVE_H
#define DESCRIPTOR_RESERVE_H

/// Holds descriptors back for the runtime, at most 16. The monitor of libdispatch opens /proc/.../stat of its threads and
/// traps where that fails with EMFILE; from now on `open` gives it one of these. Inactive until called, and under
/// sanitizers and elsewhere than on Linux always. Returns how many are held.
int descriptor_reserve_hold(int count);

/// How many are held at the moment.
int descriptor_reserve_held(void);

/// How often one was given away.
unsigned long descriptor_reserve_used(void);

#endif
