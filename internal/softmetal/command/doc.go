// Package command is what a GPU does with command buffers: queues that run them in order, the
// status life of each, the commands that encoders record, events, counters and indirect command
// buffers. It knows kernels and memory, and nothing of Objective-C.
//
// # Order
//
// A Queue runs its buffers in the order in which they were enqueued, each after the one before has
// ended, and the encoders of a buffer one after the other: all hazards between encoders are
// ordered, those of untracked resources too, and fences have nothing left to do. The commands of a
// serial encoder run one after the other. Those of a concurrent encoder between two barriers run at
// the same time, on as many goroutines as the engine has workers, and so do those of an indirect
// command buffer: what they write and others read needs a barrier, of whatever scope and resources,
// since each orders all memory. Queues run beside each other and meet in events.
//
// # Life
//
// A Buffer is not enqueued, enqueued, committed, scheduled, and then completed or failed. It is
// scheduled when all buffers before it are committed; scheduled handlers run in the queue's order,
// and so do completed handlers, after the buffer's own scheduled handlers. No lock is held in a
// handler, and the queue goes on while one runs. A buffer that fails still signals its events, so
// that nobody waits for ever.
//
// Buffers of an Allocator belong to no queue before Queue.CommitAll hands several in at once: Metal
// 4's. They have neither slots nor handlers but Finish, and their commands stay in the allocator's
// memory, which Reset uses again. Their queue waits for events and signals them between commits.
//
// # Goroutines
//
// A queue has a goroutine only while it has work. Who waits for a buffer that no goroutine runs yet
// does the work itself.
//
// # Memory
//
// Recording and running dispatches leaves no garbage: lists of commands and the memory of inline
// bytes are used again.
package command
