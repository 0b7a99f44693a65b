package kernel

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
)

// site identifies a call of a function of this package together with the calls that led there:
// threads wait at the same place only if both are the same, since a device has a copy of a function
// for each call of it.
type site struct {
	stack uint64      // hash of all return addresses, up to root
	pcs   [16]uintptr // the innermost of them, then a zero if there is room
}

// root is the address at which a fiber goes on when a thread has returned. It is the same for all
// threads, and so is what is behind it, which need not be looked at.
var root address

// address is an address of code, 0 as long as it is unknown.
type address struct{ atomic.Uintptr }

// known returns the address of root, which threads find out.
func (a *address) known() uintptr {
	if pc := a.Load(); pc != 0 {
		return pc
	}
	return a.find()
}

// find finds root in the stack of a thread.
func (a *address) find() uintptr {
	pcs := make([]uintptr, 1<<12)
	for _, pc := range pcs[:runtime.Callers(0, pcs)] {
		switch f := runtime.FuncForPC(pc - 1); f.Name() {
		case packagePath + ".(*fiber).threads", packagePath + ".(*fiber).run":
			a.Store(pc)
			return pc
		}
	}
	return 0 // in a very deep recursion
}

// where returns the file and line of the call.
func (s *site) where() string {
	for _, f := range s.frames() {
		if !ours(f.Function) {
			return position(f)
		}
	}
	return "an unknown place"
}

// before reports whether the call comes before another one in the source.
func (s *site) before(o *site) bool {
	a, b := s.frames(), o.frames()
	for i := range min(len(a), len(b)) {
		f, g := a[len(a)-1-i], b[len(b)-1-i]
		if f.File == g.File && f.Line != g.Line {
			return f.Line < g.Line
		}
		if f.PC != g.PC {
			return f.PC < g.PC
		}
	}
	return false
}

// frames returns the call and those that led there, innermost first.
func (s *site) frames() (list []runtime.Frame) {
	n := slices.Index(s.pcs[:], 0)
	if n < 0 {
		n = len(s.pcs)
	}
	// Only an address that is not the last one gets the frames of inlined functions.
	frames := runtime.CallersFrames(append(slices.Clone(s.pcs[:n]), root.known()))
	for more := true; more; {
		var f runtime.Frame
		if f, more = frames.Next(); f.PC != 0 {
			list = append(list, f)
		}
	}
	return list
}

// packagePath is this package's import path.
const packagePath = "github.com/puremetal/puremetal/kernel"

// ours reports whether a function belongs to this package.
func ours(function string) bool { return strings.HasPrefix(function, packagePath+".") }

func position(f runtime.Frame) string { return f.File + ":" + strconv.Itoa(f.Line) }
