package exec

import (
	"encoding/binary"
	"time"

	"github.com/puremetal/puremetal/internal/ir/split"
)

// phased is a kernel that was split at its grid barriers: it executes one phase at a time.
type phased struct {
	split.Layout
	kernel *Kernel
}

// splitKernel splits a kernel at its grid barriers; nil if that is not possible.
func splitKernel(k *Kernel) *phased {
	s, err := split.Split(k.Optimized())
	if err != nil {
		return nil
	}
	return &phased{s.Layout, NewKernel(s.Func, k.o)}
}

// phases returns the kernel as it was split, if a launch executes it so, and otherwise nil.
func (k *Kernel) phases(l *Launch) *phased {
	if !k.grid || !k.o.Phases || l.Hook != nil || l.Schedule != nil {
		return nil
	}
	return k.phased()
}

// The memory of a launch in phases, as numbers of kept objects.
const (
	keptFrame   = iota // what threads and threadgroups keep
	keptControl        // the records of this phase and the next
	keptObjects
)

// KeptObject returns the memory of object FirstKept+i.
func (r *Run) KeptObject(i uint64) *Object {
	if i < keptObjects {
		return &r.kept[i]
	}
	return &noObject
}

// runPhases executes a kernel that was split, one phase after another. No threadgroup waits: what
// is needed later is in memory of the launch.
func (r *Run) runPhases(stopper Stopper, p *phased, chunk, helpers int64) error {
	threads := int64(r.Grid[0]) * int64(r.Grid[1]) * int64(r.Grid[2])
	given, err := r.keep("threads", threads, p.ThreadBytes)
	defer func() { r.giveKept(given) }()
	if err != nil {
		return err
	}
	more, err := r.keep("threadgroups", r.Total, p.GroupBytes)
	given += more
	if err != nil {
		return err
	}
	l := *r.Launch
	l.Buffers = make([]uint64, max(len(l.Buffers), p.Frame+1, p.Control+1))
	copy(l.Buffers, r.Launch.Buffers)
	l.Buffers[p.Frame], l.Buffers[p.Control] = Address(FirstKept+keptFrame, 0), Address(FirstKept+keptControl, 0)
	r.Kernel, r.Launch = p.kernel, &l // with the same function constants
	control := make([]byte, 2*p.ControlBytes)
	r.kept[keptFrame].Data = make([]byte, p.FrameBytes(threads, r.Total))
	r.kept[keptControl].Data = control
	defer clear(r.kept[:])
	this, next := control[:p.ControlBytes], control[p.ControlBytes:]
	c := l.Cooperative
	*c = Cooperative{Bytes: int64(len(r.kept[keptFrame].Data) + len(control))}
	binary.LittleEndian.PutUint32(this, 1)
	for binary.LittleEndian.Uint32(this) != 0 {
		began := time.Now()
		if _, err := r.job.Share(stopper, r.Total, chunk, helpers); err != nil {
			return err
		}
		c.ended(began)
		copy(this, next)
		clear(next)
	}
	return nil
}
