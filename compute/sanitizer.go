package compute

import (
	"encoding/json"
	"fmt"

	"github.com/puremetal/puremetal/objc"
	"github.com/puremetal/puremetal/sanitizer"
)

// Private messages to devices of the software driver: begin and end to call a block with findings.
var (
	sanitize       = objc.Method{Class: "PMSoftDevice", Selector: "sanitize:handler:", Encoding: "v@:Q@?"}
	stopSanitizing = objc.Method{Class: "PMSoftDevice", Selector: "stopSanitizing:", Encoding: "v@:@?"}
	isSanitized    = objc.Method{Class: "PMSoftDevice", Selector: "isSanitized", Encoding: "B@:"}
	setUsedLength  = objc.Method{Class: "PMSoftBuffer", Selector: "setUsedLength:", Encoding: "v@:Q"}
)

// WithSanitizer looks for mistakes of kernels while they run, and calls found with each finding
// that differs from earlier ones in kind or places; without a function the accelerator's logger
// gets them. The function is called on the goroutine that runs the kernel, for several kernels at
// the same time, and must not wait for them. Package sanitizer has the kinds and the rules.
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
		c.conditions = append(c.conditions, condition{"that sanitizes kernels, as only the software device does",
			func(i Info) bool { return i.Software }})
		return nil
	}
}

// startSanitizer asks the device for findings, if the options say so.
func (a *Accelerator) startSanitizer() {
	if a.sanitize == 0 {
		a.exact = a.info.Software && isSanitized.Call(a.device.ID())&0xff != 0
		return
	}
	a.exact = true
	a.findings = objc.NewBlock("v@?@", a.finding)
	sanitize.Call(a.device.ID(), uintptr(a.sanitize), a.findings.Word())
}

// stopSanitizer ends what startSanitizer began.
func (a *Accelerator) stopSanitizer() {
	if a.sanitize == 0 {
		return
	}
	stopSanitizing.Call(a.device.ID(), a.findings.Word())
	a.findings.Release()
}

// finding takes a finding from the device, in JSON.
func (a *Accelerator) finding(args []uintptr) uintptr {
	var f sanitizer.Finding
	if err := json.Unmarshal([]byte(objc.GoString(objc.ID(args[0]))), &f); err != nil {
		a.log.Error("compute: a finding of the sanitizer is unreadable", "error", err)
		return 0
	}
	if a.found != nil {
		a.found(&f)
	} else {
		a.log.Warn("compute: a kernel is wrong", "finding", &f)
	}
	return 0
}
