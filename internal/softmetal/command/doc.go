// Package command implements the GPU's side of command buffers: the queues that run them in order,
// their life cycle, the commands that encoders record, events, counters and indirect command
// buffers. It depends on kernels and memory, but not on Objective-C.
//
// # Order
//
// A Queue runs its buffers in the order in which they were enqueued, each after the previous one
// has ended, and the encoders of a buffer one after another. So all hazards between encoders are
// ordered, even for untracked resources, and fences have no effect. The commands of a serial
// encoder also run one after another. The commands of a concurrent encoder between two barriers run
// concurrently, on as many goroutines as the engine has workers, and so do those of an indirect
// command buffer. If such a command reads what another one writes, a barrier is needed; its scope
// and resources do not matter, because every barrier orders all memory. Different queues run
// concurrently and are ordered only by events.
//
// # Life
//
// The states of a Buffer are: not enqueued, enqueued, committed, scheduled, and finally completed
// or failed. It is scheduled when all buffers before it are committed. Scheduled handlers run in
// the queue's order, and so do completed handlers, after the buffer's own scheduled handlers. No
// lock is held during a handler, and the queue continues while one runs. A buffer that fails still
// signals its events, so that nobody waits forever.
//
// Metal 4's buffers are made by an Allocator and belong to no queue until Queue.CommitAll submits
// several of them at once. They do not occupy slots of the queue, and Finish is their only handler.
// Their commands stay in the allocator's memory, which Reset makes available again. Their queue
// waits for events and signals them between commits.
//
// # Goroutines
//
// A queue has a goroutine only while it has work. If no goroutine is running a buffer yet, a caller
// that waits for it runs the buffer itself.
//
// # Memory
//
// Recording and running dispatches leaves no garbage: command lists and the memory of inline bytes
// are reused.
package command
