package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/mtl"
)

// kernelLog has messages of kernels written to the standard error, in the form of diagnostics.
func (j *job) kernelLog() compute.Option {
	l := compute.KernelLog{Handler: j.message}
	if j.cmd.Quiet {
		l.Level = mtl.LogLevelError
	}
	return compute.WithKernelLog(l)
}

// shown returns the name of a message's file, beside the source as the user names it.
func (j *job) shown(m compute.KernelMessage) string {
	beside, err := filepath.Rel(filepath.Dir(m.Program), m.File)
	if err != nil { // the program's name is absolute, for what is beside it, and this is of a folder of -I
		return m.File
	}
	return filepath.ToSlash(filepath.Join(filepath.Dir(j.plan.source.text), beside))
}

// message writes a message of the first run, unless the user has had enough.
func (j *job) message(m compute.KernelMessage) {
	if j.repeats.Load() || j.ctx.Err() != nil {
		return
	}
	var b strings.Builder
	if m.Located {
		fmt.Fprintf(&b, "%s:%d: thread %d,%d,%d: ", diag.EscapeLine(j.shown(m)), m.Line, m.Thread.X, m.Thread.Y, m.Thread.Z)
	} else {
		fmt.Fprintf(&b, "%s: kernel %s: ", diag.EscapeLine(filepath.ToSlash(j.plan.source.text)), m.Kernel)
	}
	switch {
	case m.Dropped > 0:
		fmt.Fprintf(&b, "%s did not fit the log's buffer", count(m.Dropped, "more message"))
	default:
		if m.Subsystem != "" || m.Category != "" {
			fmt.Fprintf(&b, "[%s:%s] ", m.Subsystem, m.Category)
		}
		fmt.Fprintf(&b, "%s: %s", strings.ToLower(strings.TrimPrefix(m.Level.String(), "LogLevel")), m.Text)
	}
	fmt.Fprintln(j.app.err, b.String())
}
