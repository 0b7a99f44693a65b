package device

import (
	"log/slog"
	"os"
	"sync"

	"github.com/puremetal/puremetal/internal/exec/sanitize"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/sanitizer"
)

// sanitizeVariable is the environment variable that has kernels sanitized, with the kinds of
// findings to look for. They go to the program's log.
const sanitizeVariable = "PUREMETAL_SANITIZE"

// sanitizers are who wants to know of mistakes of a device's kernels.
type sanitizers struct {
	mu   sync.Mutex
	list []findingHandler

	validated bool // a pipeline asks for validation of its own

	used sync.Map // how many bytes of a buffer the program uses, by object number: uint64 to int
}

// SetUsed says how many bytes of an object the program uses, if it has taken a longer one from a
// pool. A negative number is all of them.
func (d *Device) SetUsed(object uint32, n int) {
	if n < 0 {
		d.sanitizers.used.Delete(uint64(object))
	} else {
		d.sanitizers.used.Store(uint64(object), n)
	}
}

// used returns how many bytes of an object the program uses, or -1 for all.
func (d *Device) used(object uint64) int {
	if n, ok := d.sanitizers.used.Load(object); ok {
		return n.(int)
	}
	return -1
}

// findingHandler is a block to call with findings of some kinds, in JSON, and the number of the
// queue, which quietHandlers returns; none logs them.
type findingHandler struct {
	kinds sanitizer.Kinds
	block objcsoft.ID
}

// sanitizedFromEnvironment reads the variable. Invalid text is logged and sanitizes everything: who
// sets it wants to know of mistakes.
func (d *Device) sanitizedFromEnvironment() {
	text := os.Getenv(sanitizeVariable)
	if text == "" {
		return
	}
	kinds, err := sanitizer.Parse(text)
	if err != nil {
		slog.Error("software device: all kinds of findings are looked for", "variable", sanitizeVariable, "error", err)
		kinds = sanitizer.All
	}
	d.sanitizers.list = append(d.sanitizers.list, findingHandler{kinds: kinds})
}

// Sanitized reports whether kernels are sanitized, which libraries must be compiled for.
func (d *Device) Sanitized() bool {
	d.sanitizers.mu.Lock()
	defer d.sanitizers.mu.Unlock()
	return len(d.sanitizers.list) > 0
}

// sanitize begins to call a block with findings: words kinds and block.
func (d *Device) sanitize(c *objcsoft.Call) {
	kinds, block := sanitizer.Kinds(c.Uint(0)), c.ID(1)
	if c.Uint(0) == 0 || c.Uint(0) > uint64(sanitizer.All) || block == 0 {
		adapter.Misuse(c, "kinds %#x and block %#x; want kinds from 1 to %#x and a block", c.Uint(0), block, sanitizer.All)
		return
	}
	if err := c.RT.Retain(block); err != nil {
		c.Fail(err)
		return
	}
	gpu := d.GPU()
	d.sanitizers.mu.Lock()
	defer d.sanitizers.mu.Unlock()
	d.sanitizers.list = append(d.sanitizers.list, findingHandler{kinds, block})
	d.observe(gpu)
}

// Validate sanitizes the launches of pipelines that ask for validation, from now on. Without
// anybody who wants to know of findings, they go to the program's log, as Metal's do.
func (d *Device) Validate() {
	gpu := d.GPU()
	d.sanitizers.mu.Lock()
	defer d.sanitizers.mu.Unlock()
	if !d.sanitizers.validated || !gpu.Observed() {
		d.sanitizers.validated = true
		d.observe(gpu)
	}
}

// stopSanitizing ends the calls of a block.
func (d *Device) stopSanitizing(c *objcsoft.Call) {
	block, gpu := c.ID(0), d.GPU()
	d.sanitizers.mu.Lock()
	defer d.sanitizers.mu.Unlock()
	for i, h := range d.sanitizers.list {
		if h.block == block && block != 0 {
			d.sanitizers.list = append(d.sanitizers.list[:i:i], d.sanitizers.list[i+1:]...)
			d.observe(gpu)
			adapter.Release(c.RT, block)
			return
		}
	}
	adapter.Misuse(c, "block %#x gets no findings", block)
}

// observe has launches observed for the handlers there are. The lock is held.
func (d *Device) observe(gpu *command.GPU) {
	var kinds sanitizer.Kinds
	for _, h := range d.sanitizers.list {
		kinds |= h.kinds
	}
	if kinds == 0 && d.sanitizers.validated {
		kinds = sanitizer.All
	}
	if kinds == 0 {
		d.observeCommands(gpu, nil, false)
		return
	}
	s := sanitize.New(kinds, nil)
	s.Used, s.Label, s.FoundIn = d.used, d.labelOf, d.found
	d.observeCommands(gpu, s, len(d.sanitizers.list) == 0)
}

// found passes a finding to the handlers, with the number of its queue.
func (d *Device) found(f *sanitizer.Finding, queue uint64) {
	rt := d.Driver.RT
	d.sanitizers.mu.Lock()
	var blocks []objcsoft.ID
	logs := len(d.sanitizers.list) == 0 // of a pipeline that asks for validation
	for _, h := range d.sanitizers.list {
		switch {
		case h.kinds&f.Kind == 0:
		case h.block == 0:
			logs = true
		case rt.Retain(h.block) == nil:
			blocks = append(blocks, h.block)
		}
	}
	d.sanitizers.mu.Unlock()
	if logs {
		slog.Warn("software device: a kernel is wrong", "finding", f)
	}
	if len(blocks) == 0 {
		return
	}
	d.report(f, []uintptr{uintptr(queue)}, blocks...)
	adapter.InPool(rt, func() { adapter.Release(rt, blocks...) })
}

func sanitizeClasses() []adapter.Class {
	return []adapter.Class{{Name: "PMSoftDevice", Methods: adapter.Methods{
		"sanitize:handler:": adapter.Method((*Device).sanitize),
		"stopSanitizing:":   adapter.Method((*Device).stopSanitizing),
		"seenQueue:":        adapter.Method((*Device).seenQueue),
		"isSanitized":       adapter.Method(func(d *Device, c *objcsoft.Call) { c.ReturnBool(d.Sanitized()) }),
	}}}
}
