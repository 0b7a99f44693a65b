package kernel

import (
	"runtime"
	"strconv"
	"strings"
)

// site identifies a call of a function of this package together with the calls that led there:
// threads wait at the same place only if both are the same, since a device has a copy of a function
// for each call of it.
type site struct {
	stack uint64     // hash of all return addresses
	pcs   [8]uintptr // the innermost of them
}

// where returns the file and line of the call.
func (s *site) where() string {
	frames := runtime.CallersFrames(s.pcs[:])
	for {
		f, more := frames.Next()
		if f.File != "" && !ours(f.Function) {
			return position(f)
		}
		if !more {
			return "an unknown place"
		}
	}
}

// packagePath is this package's import path.
const packagePath = "github.com/puremetal/puremetal/kernel"

// ours reports whether a function belongs to this package.
func ours(function string) bool { return strings.HasPrefix(function, packagePath+".") }

func position(f runtime.Frame) string { return f.File + ":" + strconv.Itoa(f.Line) }
