package device

import (
	"encoding/json"
	"log/slog"
	"sync"

	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/exec/observe"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/command"
)

// measurers are who wants to know what launches do.
type measurers struct {
	mu   sync.Mutex
	list []launchHandler
}

// launchHandler is a block to call with what each launch did, in JSON, and how much of it to
// observe.
type launchHandler struct {
	block objcsoft.ID
	o     observe.Options
}

// measure begins to call a block with what launches do: words threadgroups (the number to observe
// of each launch, 0 for all), seed and block.
func (d *Device) measure(c *objcsoft.Call) {
	n, seed, block := c.Int(0), c.Uint(1), c.ID(2)
	if n < 0 || block == 0 {
		adapter.Misuse(c, "%d threadgroups and block %#x; want 0 or more threadgroups and a block", n, block)
		return
	}
	if err := c.RT.Retain(block); err != nil {
		c.Fail(err)
		return
	}
	gpu := d.GPU()
	m := &d.measurers
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, launchHandler{block, observe.Options{Threadgroups: n, Seed: seed,
		ReuseThreadgroups: observe.DefaultReuseThreadgroups, Used: d.used}})
	gpu.Measure(d.measured)
}

// stopMeasuring ends the calls of a block. It is still called for launches that have begun.
func (d *Device) stopMeasuring(c *objcsoft.Call) {
	block, gpu := c.ID(0), d.GPU()
	m := &d.measurers
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, h := range m.list {
		if h.block == block && block != 0 {
			m.list = append(m.list[:i:i], m.list[i+1:]...)
			if len(m.list) == 0 {
				gpu.Measure(nil)
			}
			adapter.Release(c.RT, block)
			return
		}
	}
	adapter.Misuse(c, "block %#x gets no launches", block)
}

// measured observes a launch for each of the handlers that there are when it begins.
func (d *Device) measured(l *command.Launched) (h hook.Hook, ended func(error)) {
	rt := d.Driver.RT
	m := &d.measurers
	m.mu.Lock()
	var handlers []launchHandler
	for _, x := range m.list {
		if rt.Retain(x.block) == nil {
			handlers = append(handlers, x)
		}
	}
	m.mu.Unlock()
	measures := make([]*observe.Launch, len(handlers))
	for i, x := range handlers {
		o, err := observe.New(l.Launch, x.o)
		if err != nil {
			continue // the launch fails with the same error
		}
		measures[i] = o
		h = hook.Both(h, o)
	}
	return h, func(err error) {
		for i, x := range handlers {
			if measures[i] != nil {
				result := measures[i].Result(l.Pipeline.Code.Func(), err)
				result.Label = l.Buffer.Label
				d.report(result, nil, x.block)
			}
			adapter.InPool(rt, func() { adapter.Release(rt, x.block) })
		}
	}
}

// report calls blocks with a value as JSON, and with words.
func (d *Device) report(value any, words []uintptr, blocks ...objcsoft.ID) {
	data, err := json.Marshal(value)
	if err != nil {
		slog.Error("software device: a report to the program", "error", err)
		return
	}
	rt := d.Driver.RT
	for _, b := range blocks {
		adapter.InPool(rt, func() {
			text := rt.NewString(string(data))
			_, _ = rt.InvokeBlock(b, append([]uintptr{uintptr(text)}, words...)) // the runtime reports a panic
			adapter.Release(rt, text)
		})
	}
}

func measureClasses() []adapter.Class {
	return []adapter.Class{{Name: "PMSoftDevice", Methods: adapter.Methods{
		"measureThreadgroups:seed:handler:": adapter.Method((*Device).measure),
		"stopMeasuring:":                    adapter.Method((*Device).stopMeasuring),
		"runsPlain": adapter.Method(func(d *Device, c *objcsoft.Call) {
			c.ReturnBool(d.GPU().Plain())
		}),
	}}}
}
