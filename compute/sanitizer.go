package compute

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/contain"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
	"github.com/puremetal/puremetal/sanitizer"
)

// WithSanitizer looks for mistakes of kernels while they run, and calls found with each finding
// that differs from earlier ones in kind or places. The function is called on the goroutine that
// runs the kernel, for several kernels at the same time, and must not wait for them. Its panic is
// a *[PanicError] of the stream. Without a function, the next [Stream.Sync] of the stream returns
// the findings, each an error that wraps a *[sanitizer.Finding], and the accelerator's logger gets
// them. The results of the kernels stay valid as far as they are. Package sanitizer has the kinds
// and the rules.
//
// Only the software device can do this: on a Mac with a GPU, [Open] fails with [ErrNoDevice].
// Kernels run without optimization, many times slower. All launches on the device are observed,
// also those of other accelerators, and programs compiled before are not checked for uninitialized
// variables.
func WithSanitizer(kinds sanitizer.Kinds, found func(*sanitizer.Finding)) Option {
	return func(c *config) error {
		if kinds == 0 || kinds&^sanitizer.All != 0 {
			return fmt.Errorf("compute: WithSanitizer: kinds %#x, want some of %v: %w", uint8(kinds), sanitizer.All, ErrOption)
		}
		c.sanitize, c.found = kinds, found
		return nil
	}
}

// startSanitizer asks the device for findings, if the options say so.
func (a *Accelerator) startSanitizer() {
	if a.sanitize == 0 {
		a.core.Exact = a.info.Software && client.Ask(&extension.IsSanitized, a.device.ID())
		return
	}
	a.core.Exact = true
	a.findings = objc.NewBlock("v@?@Q", a.finding)
	client.Send(&extension.Sanitize, a.device.ID(), uintptr(a.sanitize), a.findings.Word())
}

// stopSanitizer ends what startSanitizer began.
func (a *Accelerator) stopSanitizer() {
	if a.sanitize == 0 {
		return
	}
	client.Send(&extension.StopSanitizing, a.device.ID(), a.findings.Word())
	a.findings.Release()
}

// finding takes a finding from the device.
func (a *Accelerator) finding(args []uintptr) uintptr {
	f, err := client.Value[sanitizer.Finding](args)
	if err != nil {
		a.log.Error("compute: a finding of the sanitizer is unreadable", "error", err)
		return 0
	}
	var report error = &f
	if a.found != nil {
		report = contain.Call(func() string { return "the function for findings of the sanitizer" },
			func() error { a.found(&f); return nil })
		if report == nil {
			return 0
		}
		a.log.Error("compute: the function for findings failed", "error", report)
	} else {
		a.log.Warn("compute: a kernel is wrong", "finding", &f)
	}
	a.core.Mu.Lock()
	defer a.core.Mu.Unlock()
	for o := range a.core.Opened {
		if s, ok := o.(*Stream); ok && args[1] != 0 && s.queueNumber.Load() == uint64(args[1]) {
			s.failures.addLate(0, fmt.Errorf("compute: stream %s: %w", s.label, report))
		}
	}
	return 0
}

// quiet tells the sanitizer that the handlers of the stream's queue tell the program nothing. The
// work of an earlier queue of the stream has ended long ago.
func (s *Stream) quiet(queue mtl.CommandQueue) {
	if s.acc.core.Exact {
		s.seen()
		s.queueNumber.Store(uint64(client.Send(&extension.QuietHandlers, queue.ID())))
	}
}

// seen tells the sanitizer that the program has seen the end of what has ended on the stream.
func (s *Stream) seen() {
	if n := s.queueNumber.Load(); n != 0 {
		client.Send(&extension.SeenQueue, s.acc.device.ID(), uintptr(n))
	}
}
