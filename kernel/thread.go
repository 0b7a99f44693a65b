package kernel

// Index is a position, or a size, in up to three dimensions.
type Index struct{ X, Y, Z uint32 }

// lanes is how many threads a simdgroup has: 32, as on every Apple GPU and the software device.
const lanes = 32

// Thread is one thread of a grid. A kernel's first parameter is its thread; it may not be used
// after the kernel has returned, nor by other goroutines.
type Thread struct {
	Global Index // position in the grid
	Local  Index // position in the threadgroup
	Group  Index // position of the threadgroup among the threadgroups

	GridSize  Index // in threads
	GroupSize Index // of this threadgroup, in threads: smaller at the edge if the grid is no multiple of it
	Groups    Index // in threadgroups

	Lane       uint32 // position in the simdgroup
	Simdgroup  uint32 // position of the simdgroup in the threadgroup
	Lanes      uint32 // threads of a whole simdgroup: 32, as on every Apple GPU and the software device
	Simdgroups uint32 // simdgroups of the threadgroup; the last may have fewer lanes

	fiber *fiber
}

// Barrier waits until all threads of the threadgroup have called it, at the same place. What they
// wrote to buffers and shared memory before is then visible to all of them.
//
// Run ends with an error if a thread of the group returns instead, or waits elsewhere.
func (t *Thread) Barrier() { t.meet(false) }

// GridBarrier waits until all threads of the grid have called it, at the same place. What they
// wrote to buffers before is then visible to all of them. A device needs a cooperative launch for
// it, see compute.Stream.LaunchCooperative.
//
// Run keeps a stack for each thread of such a grid and limits it to 131072 threads.
func (t *Thread) GridBarrier() { t.meet(true) }

// running returns what runs the thread.
func (t *Thread) running() *fiber {
	if t.fiber == nil {
		panic("kernel: a Thread works only in a function that Run calls")
	}
	return t.fiber
}

// number returns the thread's index in its threadgroup: x first, then y, then z.
func (t *Thread) number() int { return int(t.Simdgroup)*lanes + int(t.Lane) }
