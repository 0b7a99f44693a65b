package compute

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// KernelMessage is a message that a kernel has written with os_log.
type KernelMessage struct {
	Kernel, Program, Stream string

	// Subsystem and Category identify the log; both are "" for os_log_default.
	Subsystem, Category string
	Level               mtl.LogLevel
	Text                string

	// Located reports whether the next three fields are set: the position of the os_log call in the
	// source, and the thread's position in the grid. Only the software device provides them.
	Located bool
	File    string
	Line    int
	Thread  Extent

	// Dropped, if not 0, is the number of messages of a launch that did not fit the log's buffer. One
	// such message follows the others of its launch; its Text says so too. Only the software device
	// counts dropped messages.
	Dropped int
}

// KernelLog configures the delivery of kernel messages; see [CompileOptions.Logging].
type KernelLog struct {
	// Handler is called with one message at a time, and must not wait for the device. On the software
	// device, the messages of a thread arrive in order, those of a launch in the order of its
	// threadgroups, and all of them before a Sync for the launch returns; on a GPU the order is up to
	// Metal. If Handler is nil, messages go to the accelerator's logger.
	Handler func(KernelMessage)
	// Level is the minimum level of messages, 0 for all.
	Level mtl.LogLevel
	// BufferBytes is the size of the buffer for the messages of a launch, from 1 KiB to 1 GiB;
	// messages that do not fit are dropped. 0 means 1 MiB.
	BufferBytes int
}

// The range and the default of KernelLog.BufferBytes, as in Metal.
const (
	minLogBytes     = 1 << 10
	maxLogBytes     = 1 << 30
	defaultLogBytes = 1 << 20
)

// WithKernelLog sets the delivery of kernel messages. Without it, the accelerator's logger gets all
// of them: Metal's level debug as slog.LevelDebug, info and notice as slog.LevelInfo, error as
// slog.LevelError, and fault as slog.LevelError+4.
func WithKernelLog(l KernelLog) Option {
	return func(c *config) error {
		switch {
		case l.Level < mtl.LogLevelUndefined || l.Level > mtl.LogLevelFault:
			return fmt.Errorf("compute: WithKernelLog: level %d, want %d to %d: %w", l.Level, mtl.LogLevelUndefined,
				mtl.LogLevelFault, ErrOption)
		case l.BufferBytes != 0 && (l.BufferBytes < minLogBytes || l.BufferBytes > maxLogBytes):
			return fmt.Errorf("compute: WithKernelLog: buffer of %d bytes, want %d to %d: %w", l.BufferBytes, minLogBytes,
				maxLogBytes, ErrOption)
		}
		c.kernelLog = l
		return nil
	}
}

// launchLog is the log of one launch. The launch has a command buffer of its own, since Metal's
// messages do not name their kernel.
type launchLog struct {
	acc    *Accelerator
	state  mtl.LogState
	origin KernelMessage // kernel, program and stream
	any    atomic.Bool   // there has been a message
}

// newLaunchLog makes the log of a launch of a kernel on a stream.
func newLaunchLog(s *Stream, k *stream.Kernel) (*launchLog, error) {
	d, err := mtl.NewLogStateDescriptor()
	if err != nil {
		return nil, err
	}
	defer d.Release()
	d.SetLevel(cmp.Or(s.acc.kernelLog.Level, mtl.LogLevelDebug))
	d.SetBufferSize(s.acc.kernelLog.bytes())
	l := &launchLog{acc: s.acc, origin: KernelMessage{Kernel: k.Name, Program: k.Program, Stream: s.label}}
	if l.state, err = s.acc.device.NewLogStateWithDescriptor(d); err != nil {
		return nil, err
	}
	if s.acc.info.Software {
		block := objc.NewBlock(extension.LocatedLogBlock, l.located)
		defer block.Release()
		client.Send(&extension.AddLocatedLogHandler, l.state.ID(), block.Word())
	} else {
		l.state.AddLogHandler(func(subsystem, category string, level mtl.LogLevel, text string) {
			l.deliver(l.message(subsystem, category, level, text))
		})
	}
	return l, nil
}

// message returns a message with the fields that Metal provides.
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
	l.deliver(m)
	return 0
}

// end reports the number of dropped messages, releases the log and waits until the handler has had
// all messages, once the command buffer has ended. It does nothing for a nil log.
func (l *launchLog) end() {
	if l == nil {
		return
	}
	if l.acc.info.Software {
		if n := int(client.Send(&extension.DroppedMessages, l.state.ID())); n > 0 {
			m := l.origin
			m.Level, m.Dropped = mtl.LogLevelError, n
			m.Text = fmt.Sprintf("%d messages were dropped: the log's buffer has %d bytes; "+
				"KernelLog.BufferBytes sets its size", n, l.acc.kernelLog.bytes())
			l.deliver(m)
		}
	}
	l.state.Release()
	l.wait()
}

// bytes returns the size of the buffer.
func (l *KernelLog) bytes() int { return cmp.Or(l.BufferBytes, defaultLogBytes) }

// deliver queues a message for the handler. It is not handled here because this thread is Metal's,
// and handlers may panic or end their goroutine.
func (l *launchLog) deliver(m KernelMessage) {
	l.any.Store(true)
	a := l.acc
	a.messages.add(0, func(error) { a.handle(m) }, nil)
	a.messages.start()
}

// wait waits until all messages so far have been handled.
func (l *launchLog) wait() {
	if l.any.Load() {
		_ = l.acc.messages.wait(context.Background()) // a context that never ends
	}
}

// handle passes a message to the handler, or to the logger if there is none.
func (a *Accelerator) handle(m KernelMessage) {
	if a.kernelLog.Handler != nil {
		a.kernelLog.Handler(m)
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

// slogLevel returns the slog level that corresponds to the message's.
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
