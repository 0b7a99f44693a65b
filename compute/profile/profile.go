package profile

import (
	"fmt"
	"io"
	"time"

	"github.com/puremetal/puremetal/compute"
)

// Profile is what a recorder has recorded. All times are since Began; those of the device are
// converted by Clock.
type Profile struct {
	Device      string            `json:"device,omitempty"` // "" with WithProfile
	Began       time.Time         `json:"began"`
	Took        time.Duration     `json:"took"`
	Clock       Clock             `json:"clock"`
	LaunchTimes string            `json:"launchTimes"`       // how launches were measured: off, counters or split
	Dropped     uint64            `json:"dropped,omitempty"` // events beyond the limit
	Allocated   uint64            `json:"allocated"`         // bytes when it began
	Work        map[string]Work   `json:"work,omitempty"`    // by kernel
	BufferBytes bool              `json:"bufferBytes,omitempty"`
	Peak        Peak              `json:"peak,omitzero"`
	Labels      map[uint64]string `json:"labels,omitempty"` // of streams, by number

	Commands   []Command   `json:"commands,omitempty"` // in the order of their record
	Buffers    []Buffer    `json:"buffers,omitempty"`  // in the order of their commits
	Compiles   []Compile   `json:"compiles,omitempty"`
	Lookups    []Lookup    `json:"lookups,omitempty"` // of the kernel cache
	Transfers  []Transfer  `json:"transfers,omitempty"`
	Memory     []Memory    `json:"memory,omitempty"`
	Operations []Operation `json:"operations,omitempty"`
	Recoveries []Recovery  `json:"recoveries,omitempty"`
}

// Timed says where a command's device time is from.
type Timed uint8

// The sources of device times.
const (
	NotTimed     Timed = iota // it needed no device, or has not ended, or the device gave no time
	TimedExactly              // counters, or a command buffer of its own
	TimedByShare              // an equal share of what is left of its command buffer's time; Start is the buffer's
)

// Site is a line of the program.
type Site struct {
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// Command is a command of a stream.
type Command struct {
	Stream    uint64        `json:"stream"`
	Number    uint64        `json:"number"` // in its stream
	Kind      string        `json:"kind"`   // as observe.CommandKind's String
	Kernel    string        `json:"kernel,omitempty"`
	Threads   uint64        `json:"threads,omitempty"`
	Bytes     uint64        `json:"bytes,omitempty"` // copied or filled; of a launch, the length of its buffers
	At        time.Duration `json:"at"`              // of the call
	Operation uint64        `json:"operation,omitempty"`
	Buffer    int           `json:"buffer"` // index in Buffers, -1 for none
	Start     time.Duration `json:"start,omitempty"`
	End       time.Duration `json:"end,omitempty"`
	Timed     Timed         `json:"timed,omitempty"`
	Site      Site          `json:"site,omitzero"`
	Source    Site          `json:"source,omitzero"` // of the kernel, if its program is a translation
}

// Time returns the command's device time.
func (c *Command) Time() time.Duration { return c.End - c.Start }

// onDevice reports whether the device executes it, apart from signals.
func (c *Command) onDevice() bool {
	switch c.Kind {
	case "launch", "copy", "fill", "encode", "indirect": // of observe.CommandKind
		return true
	}
	return false
}

// name is the kernel, or the kind in brackets.
func (c *Command) name() string {
	if c.Kernel != "" {
		return c.Kernel
	}
	return "[" + c.Kind + "]"
}

// Buffer is a command buffer.
type Buffer struct {
	Stream      uint64        `json:"stream"`
	Number      uint64        `json:"number"` // in its stream
	Commands    int           `json:"commands"`
	EncodeStart time.Duration `json:"encodeStart"`
	EncodeTook  time.Duration `json:"encodeTook"`
	Encoders    int           `json:"encoders"`
	Barriers    int           `json:"barriers"`
	Commit      time.Duration `json:"commit"`
	Start       time.Duration `json:"start"`
	End         time.Duration `json:"end"`
	Notified    time.Duration `json:"notified"` // when the host heard of its end
	Timed       bool          `json:"timed"`    // whether Start and End are known
	Completed   bool          `json:"completed"`
	Error       string        `json:"error,omitempty"`

	committed      bool
	deviceCommands int
}

// Compile is a program or pipeline that was made.
type Compile struct {
	Program   string        `json:"program,omitempty"`
	Kernel    string        `json:"kernel,omitempty"` // "" for a program
	Start     time.Duration `json:"start"`
	Took      time.Duration `json:"took"`
	Operation uint64        `json:"operation,omitempty"`
	Error     string        `json:"error,omitempty"`
}

// Lookup is a request to the kernel cache.
type Lookup struct {
	Program   string        `json:"program,omitempty"`
	Kernel    string        `json:"kernel,omitempty"`
	Hit       bool          `json:"hit"`
	At        time.Duration `json:"at"`
	Operation uint64        `json:"operation,omitempty"`
}

// Transfer is an upload or download by the host.
type Transfer struct {
	Label     string        `json:"label,omitempty"`
	Upload    bool          `json:"upload"`
	Bytes     uint64        `json:"bytes"`
	Start     time.Duration `json:"start"`
	Took      time.Duration `json:"took"`
	Operation uint64        `json:"operation,omitempty"`
	Error     string        `json:"error,omitempty"`
}

// GBs returns the bandwidth in 10^9 bytes per second, 0 if no time was measured.
func (t *Transfer) GBs() float64 { return perNanosecond(float64(t.Bytes), t.Took) }

// Memory is an allocation or its end.
type Memory struct {
	At        time.Duration `json:"at"`
	Label     string        `json:"label,omitempty"`
	Bytes     int64         `json:"bytes"`     // negative for memory that was returned
	Allocated uint64        `json:"allocated"` // after it
	Took      time.Duration `json:"took,omitempty"`
	Operation uint64        `json:"operation,omitempty"`
	Error     string        `json:"error,omitempty"`
}

// Operation is a run of a named operation.
type Operation struct {
	Number uint64        `json:"number"`
	Name   string        `json:"name"`
	Parent uint64        `json:"parent,omitempty"`
	Start  time.Duration `json:"start"` // 0 if it began before the recorder
	End    time.Duration `json:"end"`
	Open   bool          `json:"open,omitempty"` // had not ended when the recorder stopped
}

// Recovery is something that was done about a failure.
type Recovery struct {
	At      time.Duration `json:"at"`
	Kind    string        `json:"kind"`
	What    string        `json:"what,omitempty"`
	Details string        `json:"details,omitempty"`
	Error   string        `json:"error,omitempty"`
}

// perNanosecond divides by a time; 0 if there is none.
func perNanosecond(x float64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return x / float64(d)
}

// writable returns an error for a nil profile or writer.
func (p *Profile) writable(w io.Writer) error {
	if p == nil || w == nil {
		return fmt.Errorf("profile: the profile or the writer is nil: %w", compute.ErrNil)
	}
	return nil
}
