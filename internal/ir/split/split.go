package split

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/internal/ir"
)

// ControlGroups is where the threadgroup counts for an indirect launch are in a control record.
const ControlGroups = 4

// controlHead is the size of what all control records begin with.
const controlHead = 16

// maxBuffers is the number of buffers that a kernel may have.
const maxBuffers = 31

// Kernel is a kernel that runs one phase at a time.
type Kernel struct {
	Layout
	Func  *ir.Func
	Slots []Slot // of a thread's part of the frame, and of the control record
}

// Layout says how to launch a kernel that runs one phase at a time.
type Layout struct {
	Phases  int  // the places where a launch may begin
	Loops   bool // some are in loops, and may run more than once
	Frame   int  // index of the frame buffer
	Control int  // index of the control buffer

	ControlBytes int64 // of a control record: by which the control buffer's offset advances with every launch
	ThreadBytes  int64 // of the frame, for each thread of the grid
	GroupBytes   int64 // of the frame, for each threadgroup
}

// Slot is a place in a thread's part of the frame, or in the control record for what the whole grid
// shares. Thread t of n finds it at Before*n + Size*t of the frame.
type Slot struct {
	Name   string // of a variable; "" for values
	Type   ir.Type
	Size   int64
	Before int64 // bytes of the slots before it, or of the control record
	Grid   bool  // in the control record
}

// FrameBytes returns the size of the frame buffer for a grid.
func (l *Layout) FrameBytes(threads, groups int64) int64 {
	return max((l.ThreadBytes*threads+15)&^15+l.GroupBytes*groups, 16)
}

// Split splits a copy of a kernel at its grid barriers. The kernel must be valid. It is an error if
// control flow around the barriers may differ within the grid, or if no two buffers are free.
func Split(f *ir.Func) (*Kernel, error) {
	if err := f.VerifyGridBarriers(); err != nil {
		return nil, err
	}
	for i := range f.Args {
		if f.Args[i].Kind == ir.ArgThreadgroup {
			return nil, fmt.Errorf("kernel %q: its threadgroup memory %d, whose length the host sets, cannot be kept "+
				"across a grid barrier: %w", f.Name, f.Args[i].Index, errors.ErrUnsupported)
		}
	}
	s := &splitter{k: &Kernel{}, f: f.Clone(), analysis: newAnalysis()}
	if err := s.arguments(); err != nil {
		return nil, err
	}
	s.uniform = s.f.Uniformity()
	s.survey(s.f.Body)
	s.live()
	s.layout()
	s.build()
	s.k.Func, s.k.Phases, s.k.Loops = s.f, len(s.barriers)+1, len(s.loops) > 0
	return s.k, nil
}

// arguments adds the two buffers.
func (s *splitter) arguments() error {
	used := map[int]bool{}
	for i := range s.f.Args {
		if a := &s.f.Args[i]; a.Kind == ir.ArgBuffer || a.Kind == ir.ArgFunctionTable {
			used[a.Index] = true
		}
	}
	own := len(used)
	add := func(name string) (int, bool) {
		for i := maxBuffers - 1; i >= 0; i-- {
			if !used[i] {
				used[i] = true
				s.f.Args = append(s.f.Args, ir.Arg{Kind: ir.ArgBuffer, Index: i, Name: name, Type: "uint", Space: "device",
					Access: "read_write", Size: 4, Align: 4, Active: true})
				return i, true
			}
		}
		return 0, false
	}
	var ok bool
	if s.k.Frame, ok = add("grid_frame"); ok {
		s.k.Control, ok = add("grid_control")
	}
	if !ok {
		return fmt.Errorf("kernel %q synchronizes its grid, which takes two more buffers, and uses %d of %d", s.f.Name,
			own, maxBuffers)
	}
	return nil
}
