package compute

import (
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/puremetal/puremetal/pool"
)

// Option changes what [Open] opens.
type Option func(*config) error

// config is what the options set.
type config struct {
	conditions []condition
	hardware   bool
	isolated   bool
	logger     *slog.Logger
	kernelLog  KernelLog
	limit      uint64

	poolOptions pool.Options

	validation Validation
	streams    int
	batching   Batching
	idle       time.Duration
	history    int            // commands that a stream keeps
	timeout    *time.Duration // of command buffers on the software device; nil for its default
	work       int64          // of a launch on the software device; 0 for its default
	now        func() time.Time

	kernelBytes int64 // of compiled code in memory
	onDisk      bool
	diskDir     string
	diskBytes   int64
}

// condition is a condition on the device, and its description in errors.
type condition struct {
	what string
	ok   func(Info) bool
}

// WithDevice opens the first device that fits reports true for. All conditions given must hold.
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

// WithDeviceName opens the device of that name.
func WithDeviceName(name string) Option {
	return func(c *config) error {
		c.conditions = append(c.conditions,
			condition{fmt.Sprintf("named %q", name), func(i Info) bool { return i.Name == name }})
		return nil
	}
}

// WithIsolation confines kernels to what a launch binds: the buffers and textures among its
// arguments, those in its arguments' structures, and nothing else of the process, for reading only
// where the kernel's parameter says so. Without it, and in Metal on Apple silicon as far as Apple
// documents it, a kernel that makes up an address may read and write any buffer of the device.
//
// Only the software device can isolate kernels. [Open] fails with [ErrNoDevice] where there is
// none, as on a Mac with a GPU. A launch takes longer by the making of its own memory map.
func WithIsolation() Option {
	return func(c *config) error {
		c.isolated = true
		c.conditions = append(c.conditions,
			condition{"that isolates kernels, as only the software device does", func(i Info) bool { return i.Software }})
		return nil
	}
}

// RequireHardware refuses the software device with [ErrSoftware].
func RequireHardware() Option {
	return func(c *config) error {
		c.hardware = true
		return nil
	}
}

// WithLogger sets the accelerator's logger. It logs the opened device, buffers that became
// unreachable without Close, leaks and failures. The default is slog.Default().
func WithLogger(l *slog.Logger) Option {
	return func(c *config) error {
		if l == nil {
			return fmt.Errorf("compute: WithLogger: nil logger: %w", ErrOption)
		}
		c.logger = l
		return nil
	}
}

// WithMemoryLimit limits the bytes of the accelerator's buffers and textures; an allocation beyond
// the limit fails with [ErrOutOfMemory]. The default is 1.7 times the recommended working set,
// above which macOS begins to swap; without a recommendation there is no limit.
func WithMemoryLimit(bytes uint64) Option {
	return func(c *config) error {
		if bytes == 0 {
			return fmt.Errorf("compute: WithMemoryLimit: 0 bytes: %w", ErrOption)
		}
		c.limit = bytes
		return nil
	}
}

// defaultLimit is the limit without WithMemoryLimit.
func defaultLimit(workingSet uint64) uint64 {
	if workingSet == 0 {
		return math.MaxUint64
	}
	return workingSet / 10 * 17
}

// Validation is how much of a launch is checked.
type Validation uint8

const (
	// ValidateAll checks arguments, types and layouts, grid and threadgroup: the default.
	ValidateAll Validation = iota
	// ValidateShape does not check types and layouts, only sizes, for a program that reinterprets
	// memory on purpose. Anything that could end the process is always checked.
	ValidateShape
)

// WithValidation sets how much of a launch is checked.
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

// maxStreams bounds the streams of [WithStreams], of a group and of a graph. Each has a command
// queue, which Metal allows 64 uncompleted command buffers.
const maxStreams = 64

// Batching sets when a stream's commands become a command buffer and go to the device. While the
// device is idle nothing waits for a full batch: the limits matter while it is busy. Zero fields
// keep the default.
type Batching struct {
	// Commands is how many commands one command buffer holds at most: 32, after Metal.jl's queue;
	// MLX has 20 to 50 by device.
	Commands int
	// Bytes is how many bytes the commands of one command buffer touch at most, counted by their
	// arguments: 64 MiB, after Metal.jl; MLX has 40 to 50 MB.
	Bytes int
	// InFlight is how many command buffers of a stream are on the device at once: 3.
	InFlight int
	// Delay is how long the first command of a batch waits for more even though there is room in
	// flight: 0. It trades latency for larger batches.
	Delay time.Duration
}

// The defaults of [Batching].
const (
	defaultCommands = 32
	defaultBytes    = 64 << 20
	defaultInFlight = 3
	maxInFlight     = 32 // half of what a queue takes, so that a stream never blocks in Metal
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

// withDefaults fills in what is zero.
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
// [ErrTimeout], without the time that it waits for events; 0 is no limit. The default is 5 minutes,
// or what the variable PUREMETAL_SOFTWARE_TIMEOUT says. GPUs have a watchdog of their own.
func WithTimeout(d time.Duration) Option {
	return func(c *config) error {
		if d < 0 {
			return fmt.Errorf("compute: WithTimeout: %v, want at least 0: %w", d, ErrOption)
		}
		c.timeout = &d
		return nil
	}
}

// WithWorkBudget sets how much work a launch may do on the software device before it fails with
// [ErrTimeout], in units of about one instruction in one thread; docs/software-device.md says what
// counts more, and the default. It replaces what the variable PUREMETAL_SOFTWARE_FUEL says. Unlike
// [WithTimeout], it stops a kernel at the same place on every machine.
func WithWorkBudget(units int64) Option {
	return func(c *config) error {
		if units <= 0 {
			return fmt.Errorf("compute: WithWorkBudget: %d units, want more than 0: %w", units, ErrOption)
		}
		c.work = units
		return nil
	}
}

// defaultIdle is how long a stream is idle before it releases its queue.
const defaultIdle = time.Minute

// WithIdleTime sets how long a stream is idle before it releases its command queue, of which Metal
// has a limited number; it makes a new one for new work. The default is a minute.
func WithIdleTime(d time.Duration) Option {
	return func(c *config) error {
		if d <= 0 {
			return fmt.Errorf("compute: WithIdleTime: %v, want more than 0: %w", d, ErrOption)
		}
		c.idle = d
		return nil
	}
}
