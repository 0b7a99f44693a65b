// Package pool recycles device memory and device objects. Making a buffer costs Metal a system call or more and clears the memory; renting one that
// another part of the program has returned costs a lock.
//
// A [Pool] has size classes, eight to each doubling and 32 above a MiB, so that a block is at most an eighth or a 32nd longer than what was asked for, and a
// reused one at most a quarter. Blocks come from heaps of 8, 32 or 1024 MiB, the longer the more the program has, and those above an eighth of a heap straight
// from the device. They stay with the pool when they are returned and leave it by age ([Pool.Trim]), by pressure, when the device runs out, and when the pool would
// otherwise take an eighth more from the device than the program ever had at once.
//
// Pressure is measured against the device's recommended working set: above 1.4 times of it the pool keeps nothing idle, above 1.7 times it
// refuses, after it has given back everything it can. The two figures are PyTorch's.
//
// A heap is the device's again only when nothing of it is rented, so that one block that stays can hold on to 8 MiB. A block of [Pool.RentRelocatable] can be
// moved while nobody uses it, and [Pool.Defragment] moves such blocks out of heaps that are nearly empty. Others it leaves alone: the pool cannot know who has
// written down their addresses.
//
// Nothing but [Pool.Defragment] waits for the device. A block that work still uses is returned with a [Signal], and is rented again when that is reached.
//
// A [Recycler] keeps objects that are costly to make: events, queues, descriptors.
package pool
