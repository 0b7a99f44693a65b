package engines

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/jit"
	"github.com/puremetal/puremetal/internal/exec/vm"
)

// DumpVariable is the environment variable with a directory to which what kernels become is
// written: the source of each library, then for each kernel and threadgroup shape its instructions
// before and after lowering, and the machine code under the instructions it is for.
const DumpVariable = "PUREMETAL_SOFTWARE_DUMP"

// PerfVariable is the environment variable that has the names of compiled kernels written to
// /tmp/perf-PID.map, where Linux's perf looks for the symbols of code that a process has generated.
const PerfVariable = "PUREMETAL_SOFTWARE_PERF_MAP"

// observed adds what the environment asks for to a backend.
func observed(b vm.Backend) vm.Backend {
	dir, symbols := os.Getenv(DumpVariable), os.Getenv(PerfVariable) == "1"
	if dir == "" && !symbols {
		return b
	}
	if o, ok := b.Machine.(jit.Options); ok {
		o.List, o.Whole = dir != "", true
		b.Machine = o
	}
	b.Compiled = func(c exec.Code, ranges []*exec.MachineRange) {
		name := fmt.Sprintf("%s-%dx%dx%d", c.Func.Name, c.LIR.Shape[0], c.LIR.Shape[1], c.LIR.Shape[2])
		if dir != "" {
			dump(dir, name+".txt", listing(c, ranges))
		}
		if symbols && runtime.GOOS == "linux" {
			var b strings.Builder
			for _, r := range ranges {
				at, size := r.Code()
				fmt.Fprintf(&b, "%x %x %s:%d-%d\n", at, size, name, r.From, r.To)
			}
			appendFile(filepath.Join(os.TempDir(), fmt.Sprintf("perf-%d.map", os.Getpid())), b.String())
		}
	}
	return b
}

// listing returns a kernel in all of its forms.
func listing(c exec.Code, ranges []*exec.MachineRange) string {
	var b strings.Builder
	how := "interpreted"
	switch {
	case c.Watched:
		how = "interpreted and watched"
	case len(ranges) > 0:
		how = fmt.Sprintf("%d ranges of machine code", len(ranges))
	}
	fmt.Fprintf(&b, "%s: %s\n\n== instructions, as optimized ==\n%s\n", c.Func.Name, how, c.LIR.Func)
	fmt.Fprintf(&b, "== instructions of a strip of %d lanes ==\n%s", c.LIR.Lanes, c.LIR)
	for _, r := range ranges {
		_, size := r.Code()
		fmt.Fprintf(&b, "\n== machine code for %d to %d, %d bytes ==\n%s", r.From, r.To, size, r.Listing)
	}
	return b.String()
}

// DumpSource writes the source of a library where DumpVariable says, if it does.
func DumpSource(text string) {
	if dir := os.Getenv(DumpVariable); dir != "" {
		dump(dir, "library.metal", text)
	}
}

// dumped numbers the files, in the order in which they are written.
var dumped atomic.Int64

// fileName replaces what a kernel's name has and file names should not.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._-", r):
			return r
		}
		return '_'
	}, name)
}

func dump(dir, name, text string) {
	name = fmt.Sprintf("%04d-%s", dumped.Add(1), fileName(name))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		failed(err)
	} else if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		failed(err)
	}
}

var appending sync.Mutex

func appendFile(name, text string) {
	appending.Lock()
	defer appending.Unlock()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		failed(err)
		return
	}
	_, err = f.WriteString(text)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		failed(err)
	}
}

func failed(err error) { slog.Error("software device: nothing is dumped", "error", err) }
