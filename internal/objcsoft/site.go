package objcsoft

import (
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

const module = "github.com/puremetal/puremetal/"

// bindings are the packages that a message passes through on its way here, or that send messages
// for others. A call site is the first frame outside of them.
var bindings = [...]string{module + "objc", module + "mtl", module + "mps", module + "internal/objcsoft",
	module + "internal/softmetal", module + "internal/softmps", module + "internal/tensorop"}

func stack() []uintptr {
	pcs := make([]uintptr, 48)
	return pcs[:runtime.Callers(3, pcs)]
}

// callSite returns the place in the program that made the call under way.
func callSite() string { return siteOf(stack()) }

// siteOf picks the first frame outside the bindings; a test of theirs counts as
// outside. Without one it is the outermost frame inside.
func siteOf(pcs []uintptr) string {
	if len(pcs) == 0 {
		return ""
	}
	frames := runtime.CallersFrames(pcs)
	site := ""
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "runtime.") || f.File == "" {
			if !more {
				return site
			}
			continue
		}
		site = filepath.Base(filepath.Dir(f.File)) + "/" + filepath.Base(f.File) + ":" + strconv.Itoa(f.Line)
		if !more || strings.HasSuffix(f.File, "_test.go") || !InBindings(f.Function) {
			return site
		}
	}
}

// InBindings reports whether a function belongs to the bindings or the software device.
func InBindings(function string) bool {
	for _, p := range bindings {
		if rest, ok := strings.CutPrefix(function, p); ok && (rest == "" || rest[0] == '.' || rest[0] == '/') {
			return true
		}
	}
	return false
}
