// Package split turns a kernel whose threads wait for the whole grid into one that needs no such
// barrier: it runs one phase, up to the next grid barrier, and is launched again for the next.
// Every device can run it, since no threadgroup waits for another.
//
// The kernel has two more buffers. The control buffer has a record for each launch, and is bound at
// that record. It begins with four i32, the phase to run and the numbers of threadgroups; the
// launch writes the record of the next one behind it. A phase of 0 means that there is nothing to
// do: the host clears the control buffer and writes 1 at its start. One of the threads that wait
// writes the next record, since control flow is the same for the whole grid; when the grid has
// ended none does. So the host may enqueue many launches in advance, with the threadgroup counts as
// indirect arguments: those after the end have none.
//
// What a thread needs after a barrier is kept. Values that are the same for the whole grid, such as
// the counters of loops around barriers, are in the control record, once. The frame buffer has the
// other values and variables, an array over the threads for each, so that neighbors access
// neighboring memory; and the threadgroup's memory. It needs no initialization. Constants, inputs,
// arguments and what is cheaply computed from them are not kept but computed again. Of a pointer
// whose object is known, only the offset is kept.
//
// # How a launch finds its place
//
// The structure of the kernel stays as it is, so threads that diverged meet again where they would
// have. A number r, which is 0 once the launch has reached the barrier where it begins, says how
// far it has to skip. Instructions before that barrier run only if r is 0; what they compute, if
// anything later uses it, comes from the frame instead. Loops around the barrier begin with the
// parameters of the iteration in which it waited, and branches go where it is. At a barrier with r
// equal to 0, the thread saves what is live there, writes the next phase and ends.
//
// Threads that return before the end leave a mark in the frame, and end at once in later launches.
// Where threads of a threadgroup may have returned when its memory is to be saved, all go to the
// kernel's end and save it there, since a barrier needs all threads of the threadgroup.
package split
