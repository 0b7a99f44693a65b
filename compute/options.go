package compute

import (
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/puremetal/puremetal/compute/internal/fallback"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/pool"
	"github.com/puremetal/puremetal/sanitizer"
)

// Option configures [Open].
type Option func(*config) error

// config holds the values that options set.
type config struct {
	conditions []condition
	hardware   bool
	isolated   bool
	sanitize   sanitizer.Kinds // 0 for none
	found      func(*sanitizer.Finding)
	leakCheck  bool
	logger     *slog.Logger
	kernelLog  KernelLog
	limit      uint64

	poolOptions pool.Options

	validation Validation
	streams    int
	batching   Batching
	idle       time.Duration
	history    int            // commands that a stream keeps for errors
	timeout    *time.Duration // of command buffers on the software device; nil for its default
	work       int64          // of a launch on the software device; 0 for its default
	now        func() time.Time
	observe    []*observe.Observer
	fallback   fallback.Device // nil for none
	phases     bool            // split kernels that synchronize the grid, on the software device too

	kernelBytes  int64 // of compiled code in memory
	compilations int   // at once
	onDisk       bool
	diskDir      string
	diskBytes    int64
}

// condition is a condition on the device, with a description for errors.
type condition struct {
	what string
	ok   func(Info) bool
}

// WithDevice opens the first device for which fits returns true. If several options select a
// device, all of them must match.
func WithDevice(fits func(Info) bool) Option {
	return func(c *config) error {
		if fits == nil {
			return fmt.Errorf("compute: WithDevice: nil function: %w", ErrOption)
		}
		c.conditions = append(c.conditions, condition{"that fits the given function", fits})
		return nil
	}
}

// WithDeviceIndex opens a device by its index in [Devices].
func WithDeviceIndex(index int) Option {
	return func(c *config) error {
		if index < 0 {
			return fmt.Errorf("compute: WithDeviceIndex: index is %d, want at least 0: %w", index, ErrOption)
		}
		c.conditions = append(c.conditions,
			condition{fmt.Sprintf("with index %d", index), func(i Info) bool { return i.Index == index }})
		return nil
	}
}

// WithDeviceName opens the device with the given name.
func WithDeviceName(name string) Option {
	return func(c *config) error {
		c.conditions = append(c.conditions,
			condition{fmt.Sprintf("named %q", name), func(i Info) bool { return i.Name == name }})
		return nil
	}
}

// WithIsolation confines each kernel to the memory that its launch binds or lists: the buffers and
// textures among its arguments, and the buffers of [Reads] and [Writes]. Access is read-only if the
// kernel's parameter is, and for the buffers of Reads. Without isolation, a kernel that forges an
// address may read and write any buffer of the device; as far as Apple documents it, this also
// holds for Metal on Apple silicon.
//
// Only the software device can isolate kernels: on a Mac with a GPU, [Open] fails with
// [ErrNoDevice]. Each launch takes a little longer, because it gets a memory map of its own.
func WithIsolation() Option {
	return func(c *config) error {
		c.isolated = true
		return nil
	}
}

// WithoutSoftwareOptions undoes what the options before it ask of the software device only:
// [WithIsolation] and [WithSanitizer]. So a GPU can be opened with the options of another device.
func WithoutSoftwareOptions() Option {
	return func(c *config) error {
		c.isolated, c.sanitize, c.found = false, 0, nil
		return nil
	}
}

// requirements returns the conditions of all options.
func (c *config) requirements() []condition {
	all := slices.Clip(c.conditions)
	software := func(i Info) bool { return i.Software }
	if c.isolated {
		all = append(all, condition{"that isolates kernels, as only the software device does", software})
	}
	if c.sanitize != 0 {
		all = append(all, condition{"that sanitizes kernels, as only the software device does", software})
	}
	return all
}

// RequireHardware makes [Open] fail with [ErrSoftware] if only the software device is available.
func RequireHardware() Option {
	return func(c *config) error {
		c.hardware = true
		return nil
	}
}

// WithLogger sets the accelerator's logger, which receives the opened device, buffers and textures
// that became unreachable without Close, leaks, failures and, unless [WithKernelLog] sets a
// handler, the messages of kernels. The default is slog.Default().
func WithLogger(l *slog.Logger) Option {
	return func(c *config) error {
		if l == nil {
			return fmt.Errorf("compute: WithLogger: nil logger: %w", ErrOption)
		}
		c.logger = l
		return nil
	}
}

// WithMemoryLimit limits the total bytes of the accelerator's open buffers and textures; an
// allocation beyond the limit fails with [ErrOutOfMemory]. What Close has returned to the pool no
// longer counts, although the pool keeps it for a while: [Accelerator.Memory] counts that, and
// [Accelerator.Trim] releases what has been idle for long. Memory that compiled programs and the
// driver need does not count either.
//
// The default is 1.7 times the device's recommended working set size, above which macOS begins to
// swap. If the device recommends none, there is no limit by default. The software device's memory
// is the process's: the default is 1.2 times what it recommends, which is at most nine tenths of
// what is free, of the machine's memory or the control group's limit, when a program first asks
// for the device.
func WithMemoryLimit(bytes uint64) Option {
	return func(c *config) error {
		if bytes == 0 {
			return fmt.Errorf("compute: WithMemoryLimit: 0 bytes: %w", ErrOption)
		}
		c.limit = bytes
		return nil
	}
}

// defaultLimit is the default of WithMemoryLimit.
func defaultLimit(workingSet uint64, software bool) uint64 {
	if workingSet == 0 {
		return math.MaxUint64
	}
	if software {
		return workingSet / 10 * 12
	}
	return workingSet / 10 * 17
}

// Validation is how thoroughly launches are checked.
type Validation uint8

const (
	// ValidateAll checks arguments, types and layouts, grid and threadgroup: the default.
	ValidateAll Validation = iota
	// ValidateShape does not check types and layouts, only sizes, for a program that reinterprets
	// memory on purpose. Anything that could end the process is always checked.
	ValidateShape
)

// WithValidation sets how thoroughly launches are checked.
func WithValidation(v Validation) Option {
	return func(c *config) error {
		if v > ValidateShape {
			return fmt.Errorf("compute: WithValidation: level %d, want at most %d: %w", v, ValidateShape, ErrOption)
		}
		c.validation = v
		return nil
	}
}

// WithStreams sets the number of streams that [Accelerator.NextStream] chooses from. The default
// is 6 on Apple silicon and when the software device models it, 4 on other GPUs.
func WithStreams(n int) Option {
	return func(c *config) error {
		if n < 1 || n > maxStreams {
			return fmt.Errorf("compute: WithStreams: %d, want 1 to %d: %w", n, maxStreams, ErrOption)
		}
		c.streams = n
		return nil
	}
}

// maxStreams bounds the number of streams of [WithStreams], a group or a graph. Each has its own
// command queue.
const maxStreams = stream.MaxStreams

// Batching configures how a stream groups commands into command buffers. An idle device gets
// commands immediately; the limits matter while it is busy. Zero fields mean the default.
type Batching struct {
	// Commands is the maximum number of commands in a command buffer. The default is 32, as in
	// Metal.jl; MLX uses 20 to 50, depending on the device.
	Commands int
	// Bytes is the maximum number of bytes that the commands of a command buffer access, counted by
	// their arguments. The default is 64 MiB, as in Metal.jl; MLX uses 40 to 50 MB.
	Bytes int
	// InFlight is the maximum number of a stream's command buffers on the device at once. The default
	// is 3.
	InFlight int
	// Delay is how long the first command of a batch waits for more commands although there is room in
	// flight. It trades latency for larger batches. The default is 0.
	Delay time.Duration
}

// The defaults of [Batching].
const (
	defaultCommands = 32
	defaultBytes    = 64 << 20
	defaultInFlight = 3
	maxInFlight     = 32 // half of the 64 that a queue holds, so that a stream never blocks in Metal
)

// WithBatching sets how streams batch their work.
func WithBatching(b Batching) Option {
	return func(c *config) error {
		switch {
		case b.Commands < 0 || b.Bytes < 0 || b.Delay < 0:
			return fmt.Errorf("compute: WithBatching: negative limit in %+v: %w", b, ErrOption)
		case b.InFlight < 0 || b.InFlight > maxInFlight:
			return fmt.Errorf("compute: WithBatching: %d command buffers in flight, want at most %d: %w", b.InFlight,
				maxInFlight, ErrOption)
		}
		c.batching = b
		return nil
	}
}

// withDefaults replaces zero fields by defaults.
func (b Batching) withDefaults() Batching {
	if b.Commands == 0 {
		b.Commands = defaultCommands
	}
	if b.Bytes == 0 {
		b.Bytes = defaultBytes
	}
	if b.InFlight == 0 {
		b.InFlight = defaultInFlight
	}
	return b
}

// WithHistory sets how many of its last commands a stream keeps for [Stream.History] and for the
// errors of command buffers: 0 to 4096. The default is 16.
func WithHistory(commands int) Option {
	return func(c *config) error {
		if commands < 0 || commands > maxHistory {
			return fmt.Errorf("compute: WithHistory: %d commands, want 0 to %d: %w", commands, maxHistory, ErrOption)
		}
		c.history = commands
		return nil
	}
}

// WithTimeout sets how long a command buffer may run on the software device before it fails with
// [ErrTimeout]; time spent waiting for events does not count. 0 means no limit. The default is 5
// minutes, or the value of the environment variable PUREMETAL_SOFTWARE_TIMEOUT. It has no effect on
// a GPU, which has its own watchdog, except for [Stream.LaunchFallback].
func WithTimeout(d time.Duration) Option {
	return func(c *config) error {
		if d < 0 {
			return fmt.Errorf("compute: WithTimeout: %v, want at least 0: %w", d, ErrOption)
		}
		c.timeout = &d
		return nil
	}
}

// WithWorkBudget sets how much work a call may start on the software device before that fails with
// [ErrTimeout]: a launch, and all together what one replay of a graph, run of a launch tree or
// [Stream.LaunchCooperative] does, with its loops, continuations and phases. Of kernels that run
// at the same time each may use what is left. Parts of [Stream.LaunchParts] count one by one. A
// unit is about one instruction in one thread; docs/software-device.md lists what counts more, and
// the default. Launches by [Stream.LaunchFallback] are counted alike on every device. The option
// overrides the environment variable PUREMETAL_SOFTWARE_FUEL. Unlike [WithTimeout], it stops a
// kernel at the same place on every machine.
func WithWorkBudget(units int64) Option {
	return func(c *config) error {
		if units <= 0 {
			return fmt.Errorf("compute: WithWorkBudget: %d units, want more than 0: %w", units, ErrOption)
		}
		c.work = units
		return nil
	}
}

// defaultIdle is the default of [WithIdleTime].
const defaultIdle = time.Minute

// WithIdleTime sets how long a stream must be idle before it releases its command queue, because
// Metal limits the number of queues. The stream makes a new queue when new work arrives. The
// default is a minute.
func WithIdleTime(d time.Duration) Option {
	return func(c *config) error {
		if d <= 0 {
			return fmt.Errorf("compute: WithIdleTime: %v, want more than 0: %w", d, ErrOption)
		}
		c.idle = d
		return nil
	}
}
