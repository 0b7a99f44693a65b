package memory

// retirement defers actions that must not happen while earlier work is in flight. It is guarded by
// the Device's lock.
type retirement struct {
	clock   uint64
	running map[uint64]int // work under way, by the time at which it began
	waiting []retired      // in the order of their times
}

type retired struct {
	at uint64
	do func()
}

// Begin marks the start of work on the device's memory. Pass its result to End.
func (d *Device) Begin() (token uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := &d.retired
	if r.running == nil {
		r.running = map[uint64]int{}
	}
	r.running[r.clock]++
	return r.clock
}

// End marks the end of the work, and runs the actions that were waiting for it.
func (d *Device) End(token uint64) {
	d.mu.Lock()
	r := &d.retired
	if r.running[token]--; r.running[token] == 0 {
		delete(r.running, token)
	}
	var due []retired
	if len(r.waiting) > 0 {
		oldest := r.clock + 1
		for t := range r.running {
			oldest = min(oldest, t)
		}
		n := 0
		for n < len(r.waiting) && r.waiting[n].at < oldest {
			n++
		}
		due = append(due, r.waiting[:n]...)
		r.waiting = append(r.waiting[:0:0], r.waiting[n:]...)
	}
	d.mu.Unlock()
	for _, w := range due {
		w.do()
	}
}

// Retire has do called when all work that is under way now has ended: at once when there is none.
func (d *Device) Retire(do func()) {
	d.mu.Lock()
	r := &d.retired
	if len(r.running) == 0 {
		d.mu.Unlock()
		do()
		return
	}
	r.waiting = append(r.waiting, retired{r.clock, do})
	r.clock++
	d.mu.Unlock()
}

// Waiting returns how many retired things wait for work to end.
func (d *Device) Waiting() int {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return len(d.retired.waiting)
}
