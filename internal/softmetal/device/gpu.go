package device

import (
	"log/slog"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/schedule"
	"github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
)

// commands is a device's machinery for running commands. It is created on first use.
type commands struct {
	once sync.Once
	runs *command.GPU
}

// GPU returns what runs the device's commands.
func (d *Device) GPU() *command.GPU {
	d.commands.once.Do(func() {
		d.commands.runs = command.NewGPU(d.Driver.engine(), d.Memory, limitsFromEnvironment())
		d.commands.runs.TextureAt = func(handle uint64) *dispatch.Texture { return d.textureAt(handle) }
		d.commands.runs.OnAttached(func(here bool) {
			d.gone.Store(!here)
			d.Driver.attached(d, here)
		})
		d.sanitizers.mu.Lock()
		d.observe(d.commands.runs)
		d.sanitizers.mu.Unlock()
	})
	return d.commands.runs
}

// eventTimeoutVariable is the environment variable for how long a queue waits for an event. The
// variables for the other limits are next to their errors, in package command.
const eventTimeoutVariable = "PUREMETAL_SOFTWARE_EVENT_TIMEOUT"

// scheduleVariable is the environment variable for the order in which threadgroups and simdgroups
// are executed.
const scheduleVariable = "PUREMETAL_SOFTWARE_SCHEDULE"

// limitsFromEnvironment reads the bounds. Invalid text is logged and leaves the default.
func limitsFromEnvironment() (l command.Limits) {
	if text := os.Getenv(command.FuelVariable); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			slog.Error("software device: want a number above 0", "variable", command.FuelVariable, "value", text)
		} else {
			l.Fuel = n
		}
	}
	if text := os.Getenv(command.TimeoutVariable); text != "" {
		switch t, err := time.ParseDuration(text); {
		case err != nil || t < 0:
			slog.Error("software device: want a duration, 0 for no limit", "variable", command.TimeoutVariable, "value", text)
		case t == 0:
			l.Timeout = -1
		default:
			l.Timeout = t
		}
	}
	if text := os.Getenv(eventTimeoutVariable); text != "" {
		t, err := time.ParseDuration(text)
		if err != nil || t <= 0 {
			slog.Error("software device: want a duration above 0", "variable", eventTimeoutVariable, "value", text)
		} else {
			l.EventTimeout = t
		}
	}
	if text := os.Getenv(scheduleVariable); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			slog.Error("software device: want a number of 0 or more", "variable", scheduleVariable, "value", text)
		} else if n > 0 {
			l.Schedule = schedule.Seed(n)
		}
	}
	return l
}

// isolationVariable confines the kernels of all queues to what the program has declared.
const isolationVariable = "PUREMETAL_SOFTWARE_ISOLATION"

// isolationFromEnvironment reports whether kernels are isolated. Invalid text is logged and
// isolates them: who sets the variable means to be safe.
func isolationFromEnvironment() bool {
	switch text := os.Getenv(isolationVariable); text {
	case "", "0":
		return false
	case "1":
		return true
	default:
		slog.Error("software device: want 0 or 1; kernels are isolated", "variable", isolationVariable, "value", text)
		return true
	}
}

// Seconds turns a time of the GPU into the seconds that Metal gives.
func Seconds(ns uint64) float64 { return float64(ns) / 1e9 }

// textureAt returns the properties that dispatches compare of the texture that a handle names, or
// nil if there is none.
func (d *Device) textureAt(handle uint64) *dispatch.Texture {
	if t, ok := d.Residents.At(ir.ArgTexture, handle).(interface{ DispatchFacts() *dispatch.Texture }); ok {
		return t.DispatchFacts()
	}
	return nil
}
