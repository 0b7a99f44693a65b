package compute

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// KernelMessage is a message that a kernel has written to a log of Metal's language, by os_log.
type KernelMessage struct {
	Kernel, Program, Stream string

	// Subsystem and Category are those of the log, both "" for os_log_default.
	Subsystem, Category string
	Level               mtl.LogLevel
	Text                string

	// Located reports whether the next three are known: where the source writes the message, and the
	// thread's position in the grid. The software device knows them, Metal does not say.
	Located bool
	File    string
	Line    int
	Thread  Extent

	// Dropped is not 0 for one message that comes after those of a launch: so many more did not fit
	// the log's buffer, as Text says. The software device counts them, Metal does not say.
	Dropped int
}

// KernelLog configures what happens to the messages of kernels; see [CompileOptions.Logging].
type KernelLog struct {
	// Handler is called with one message at a time, and must not wait for the device. On the software
	// device, the messages of a thread come in order, those of a launch in the order of its
	// threadgroups, and all before a Sync for the launch returns; a GPU has its own order. Nil is the
	// accelerator's logger.
	Handler func(KernelMessage)
	// Level is the least level of messages, 0 for all.
	Level mtl.LogLevel
	// BufferBytes is the size of the buffer for the messages of a launch, from 1 KiB to 1 GiB; what
	// does not fit is dropped. 0 is 1 MiB.
	BufferBytes int
}

// The sizes that the buffer of a log may have, and its size by default: those of Metal.
const (
	minLogBytes     = 1 << 10
	maxLogBytes     = 1 << 30
	defaultLogBytes = 1 << 20
)

// WithKernelLog sets what happens to the messages of kernels. Without it, the accelerator's logger
// gets all: Metal's debug as slog.LevelDebug, info and notice as slog.LevelInfo, error as
// slog.LevelError, and fault as slog.LevelError+4.
func WithKernelLog(l KernelLog) Option {
	return func(c *config) error {
		switch {
		case l.Level < mtl.LogLevelUndefined || l.Level > mtl.LogLevelFault:
			return fmt.Errorf("compute: WithKernelLog: level %d, want %d to %d: %w", l.Level, mtl.LogLevelUndefined,
				mtl.LogLevelFault, ErrOption)
		case l.BufferBytes != 0 && (l.BufferBytes < minLogBytes || l.BufferBytes > maxLogBytes):
			return fmt.Errorf("compute: WithKernelLog: a buffer of %d bytes, want %d to %d: %w", l.BufferBytes, minLogBytes,
				maxLogBytes, ErrOption)
		}
		c.kernelLog = l
		return nil
	}
}

// What log states of the software device can, and Metal's cannot: say where a message comes from,
// and how many were dropped.
var (
	addLocatedLogHandler = objc.Method{Class: "PMSoftLogState", Selector: "addLocatedLogHandler:", Encoding: "v@:@?"}
	droppedMessages      = objc.Method{Class: "PMSoftLogState", Selector: "droppedMessages", Encoding: "Q@:"}
)

// locatedLogBlock is the encoding of what addLocatedLogHandler takes: subsystem, category, level
// and text, as Metal's handlers have them; file, line, and the thread's x, y and z.
const locatedLogBlock = "v@?@@q@@QQQQ"

// launchLog is where a launch logs. It has a command buffer without other launches, since Metal's
// messages do not say which kernel they come from.
type launchLog struct {
	acc    *Accelerator
	state  mtl.LogState
	origin KernelMessage // kernel, program and stream
}

// newLaunchLog makes the log of a launch of a kernel on a stream.
func newLaunchLog(s *Stream, k *Kernel) (*launchLog, error) {
	d, err := mtl.NewLogStateDescriptor()
	if err != nil {
		return nil, err
	}
	defer d.Release()
	d.SetLevel(cmp.Or(s.acc.kernelLog.Level, mtl.LogLevelDebug))
	d.SetBufferSize(s.acc.kernelLog.bytes())
	l := &launchLog{acc: s.acc, origin: KernelMessage{Kernel: k.name, Program: k.program, Stream: s.label}}
	if l.state, err = s.acc.device.NewLogStateWithDescriptor(d); err != nil {
		return nil, err
	}
	if s.acc.info.Software {
		block := objc.NewBlock(locatedLogBlock, l.located)
		defer block.Release()
		addLocatedLogHandler.Call(l.state.ID(), block.Word())
	} else {
		l.state.AddLogHandler(func(subsystem, category string, level mtl.LogLevel, text string) {
			l.acc.deliver(l.message(subsystem, category, level, text))
		})
	}
	return l, nil
}

// message returns what Metal says of a message.
func (l *launchLog) message(subsystem, category string, level mtl.LogLevel, text string) KernelMessage {
	m := l.origin
	m.Subsystem, m.Category, m.Level, m.Text = subsystem, category, level, text
	return m
}

// located takes a message from the software device.
func (l *launchLog) located(args []uintptr) uintptr {
	text := func(i int) string { return objc.GoString(objc.ID(args[i])) }
	m := l.message(text(0), text(1), mtl.LogLevel(args[2]), text(3))
	m.Located, m.File, m.Line = true, text(4), int(args[5])
	m.Thread = Extent{int(args[6]), int(args[7]), int(args[8])}
	l.acc.deliver(m)
	return 0
}

// end says how many messages were dropped, once the command buffer has ended, and gives the log
// back. A nil log has none.
func (l *launchLog) end() {
	if l == nil {
		return
	}
	if l.acc.info.Software {
		if n := int(droppedMessages.Call(l.state.ID())); n > 0 {
			m := l.origin
			m.Level, m.Dropped = mtl.LogLevelError, n
			m.Text = fmt.Sprintf("%d messages were dropped: the log's buffer has %d bytes; "+
				"KernelLog.BufferBytes sets its size", n, l.acc.kernelLog.bytes())
			l.acc.deliver(m)
		}
	}
	l.state.Release()
}

// bytes returns the size of the buffer.
func (l *KernelLog) bytes() int { return cmp.Or(l.BufferBytes, defaultLogBytes) }

// deliver gives a message to the handler, or else to the logger.
func (a *Accelerator) deliver(m KernelMessage) {
	a.messages.Lock()
	defer a.messages.Unlock()
	if handle := a.kernelLog.Handler; handle != nil {
		protect(func() string { return "the handler of kernels' messages" },
			func() error { handle(m); return nil },
			func(err error) {
				if err != nil {
					a.log.Error("compute: a kernel's message was not handled", "kernel", m.Kernel, "error", err)
				}
			})
		return
	}
	attrs := []slog.Attr{slog.String("kernel", m.Kernel)}
	if m.Located {
		attrs = append(attrs, slog.String("thread", fmt.Sprintf("%d,%d,%d", m.Thread.X, m.Thread.Y, m.Thread.Z)),
			slog.String("source", fmt.Sprintf("%s:%d", m.File, m.Line)))
	} else {
		attrs = append(attrs, slog.String("program", m.Program))
	}
	attrs = append(attrs, slog.String("stream", m.Stream))
	if m.Subsystem != "" || m.Category != "" {
		attrs = append(attrs, slog.String("subsystem", m.Subsystem), slog.String("category", m.Category))
	}
	a.log.LogAttrs(context.Background(), m.slogLevel(), m.Text, attrs...)
}

// slogLevel returns the level of slog that is most like the message's.
func (m *KernelMessage) slogLevel() slog.Level {
	switch m.Level {
	case mtl.LogLevelDebug:
		return slog.LevelDebug
	case mtl.LogLevelError:
		return slog.LevelError
	case mtl.LogLevelFault:
		return slog.LevelError + 4
	}
	return slog.LevelInfo
}
