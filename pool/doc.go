// Package pool recycles device memory and device objects. Allocating a buffer costs Metal a system
// call or more, and clears the memory; renting one that another part of the program has returned
// costs a lock.
//
// A [Pool] has size classes, eight to each doubling and 32 above a MiB, so that a new block is at
// most an eighth or a 32nd longer than requested, and a reused one at most a quarter. Blocks come
// from heaps of 8, 32 or 1024 MiB, larger as the program allocates more; those above an eighth of a
// heap come directly from the device. Returned blocks stay in the pool. They are released by age
// ([Pool.Trim]), under pressure, when the device runs out of memory, and when the pool would
// otherwise reserve an eighth more than the program ever rented at once.
//
// Pressure is measured against the device's recommended working set: above 1.4 times of it the pool
// keeps no idle blocks; above 1.7 times it refuses to allocate, after it has released all it can.
// The two figures are PyTorch's.
//
// A heap is released only when none of its blocks is rented, so a single long-lived block can hold
// on to 8 MiB. A block of [Pool.RentRelocatable] can be moved while it is not in use, and
// [Pool.Defragment] moves such blocks out of nearly empty heaps. It leaves other blocks alone: the
// pool cannot know who holds their addresses.
//
// Only [Pool.Defragment] waits for the device. A block that work still uses is returned with a
// [Signal], and is rented again once that is reached.
//
// A [Recycler] keeps objects that are costly to make: events, queues, descriptors.
package pool
