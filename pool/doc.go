// Package pool recycles device memory and device objects. Allocating a buffer costs Metal at least
// one system call and clearing the memory; renting one that another part of the program has
// returned costs a lock.
//
// A [Pool] has size classes, eight per doubling and 32 above 1 MiB, so that a new block is at most
// an eighth or a 32nd longer than requested, and a reused one at most a quarter. Blocks are placed
// in heaps of 8, 32 or 1024 MiB, larger as the program allocates more; blocks above an eighth of a
// heap are allocated directly from the device. Returned blocks stay in the pool. They are released
// by age ([Pool.Trim]), under memory pressure, when the device runs out of memory, and when the
// pool would otherwise reserve an eighth more than the program ever rented at once.
//
// Pressure is measured against the device's recommended working set. Above 1.4 times that size the
// pool keeps no idle blocks; above 1.7 times it refuses to allocate once it has released all it
// can. Both figures are PyTorch's.
//
// A heap is released only when none of its blocks is rented, so a single long-lived block can keep
// 8 MiB reserved. A block from [Pool.RentRelocatable] can be moved while it is not in use, and
// [Pool.Defragment] moves such blocks out of nearly empty heaps. It does not move other blocks,
// because the pool cannot know who holds their addresses.
//
// Only [Pool.Defragment] waits for the device. A block that the device may still be using is
// returned with a [Signal], and is not rented again before the signal is reached.
//
// A [Recycler] keeps objects that are costly to create: events, queues, descriptors.
package pool
