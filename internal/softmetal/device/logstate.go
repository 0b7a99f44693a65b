package device

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/journal"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// logState is the state of an MTLLogState: the buffer that kernels log into, and the handlers of
// their messages.
type logState struct {
	rt      *objcsoft.Runtime
	Journal *journal.Journal

	dropped atomic.Int64 // messages of all command buffers, so far

	mu      sync.Mutex
	blocks  []objcsoft.ID
	located []objcsoft.ID // blocks that also get the place and the thread of a message
}

// Metal's own environment variables: the first two make every command buffer without a log state
// log, the last sends unhandled messages to standard error instead of the program's log.
const (
	logLevelVariable  = "MTL_LOG_LEVEL"
	logSizeVariable   = "MTL_LOG_BUFFER_SIZE"
	logStderrVariable = "MTL_LOG_TO_STDERR"
)

// environmentLogSize is the size of the buffer when the environment asks for logging and does not
// say one.
const environmentLogSize = journal.MinSize

func logClasses() []adapter.Class {
	return []adapter.Class{
		{Name: "MTLLogStateDescriptor", Protocols: []string{"NSCopying"},
			Properties: adapter.Properties{{Name: "level"}, {Name: "bufferSize", Value: journal.DefaultSize}}},
		{Name: "PMSoftDevice", Methods: adapter.Methods{"newLogStateWithDescriptor:error:": adapter.Method((*Device).newLogState)}},
		{Name: "PMSoftLogState", Protocols: []string{"MTLLogState"}, Dealloc: adapter.DeallocHook((*logState).free),
			Methods: adapter.Methods{
				"addLogHandler:": adapter.Method(func(l *logState, c *objcsoft.Call) { l.addHandler(c, &l.blocks) }),
				"addLocatedLogHandler:": adapter.Method(func(l *logState, c *objcsoft.Call) {
					l.addHandler(c, &l.located)
				}),
				"droppedMessages": adapter.Method(func(l *logState, c *objcsoft.Call) {
					c.ReturnUint(uint64(l.dropped.Load()))
				}),
			}},
		{Name: "PMSoftLogContainer", Protocols: []string{"MTLLogContainer"}},
	}
}

func (d *Device) newLogState(c *objcsoft.Call) {
	r := adapter.RecordArg(c, 0, "descriptor")
	if r == nil {
		return
	}
	level, n := int64(r.Word("level")), r.Uint("bufferSize")
	switch {
	case n < journal.MinSize || n > journal.MaxSize:
		adapter.Refuse(c, 1, metal.LogStateErrorDomain, metal.LogStateErrorInvalidSize,
			"the buffer's size is %d bytes, want %d to %d", n, journal.MinSize, journal.MaxSize)
	case level < metal.LogLevelUndefined || level > metal.LogLevelFault:
		adapter.Refuse(c, 1, metal.LogStateErrorDomain, metal.LogStateErrorInvalid, "the level is %d, want %d to %d", level,
			metal.LogLevelUndefined, metal.LogLevelFault)
	default:
		c.ReturnID(d.Driver.New("PMSoftLogState", &logState{rt: c.RT, Journal: journal.New(ir.LogLevel(level), int64(n))}))
	}
}

// addHandler adds the argument to a list of blocks.
func (l *logState) addHandler(c *objcsoft.Call, to *[]objcsoft.ID) {
	block := c.ID(0)
	if block == 0 {
		adapter.Misuse(c, "the handler is nil")
		return
	}
	if err := c.RT.Retain(block); err != nil {
		c.Fail(err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	*to = append(*to, block)
}

func (l *logState) free(o *objcsoft.Object) {
	o.Drop(l.blocks...)
	o.Drop(l.located...)
}

// environmentLog returns the log state that the environment asks for, nil if it does not.
func environmentLog(rt *objcsoft.Runtime) *logState {
	level, size := os.Getenv(logLevelVariable), os.Getenv(logSizeVariable)
	if level == "" && size == "" {
		return nil
	}
	least, n := ir.LogDebug, int64(environmentLogSize)
	switch level {
	case "", "MTLLogLevelDebug":
	case "MTLLogLevelInfo":
		least = ir.LogInfo
	case "MTLLogLevelNotice":
		least = ir.LogNotice
	case "MTLLogLevelError":
		least = ir.LogError
	case "MTLLogLevelFault":
		least = ir.LogFault
	default:
		slog.Error("software device: want MTLLogLevelDebug, Info, Notice, Error or Fault", "variable", logLevelVariable,
			"value", level)
	}
	if size != "" {
		if v, err := strconv.ParseInt(size, 10, 64); err != nil || v < journal.MinSize || v > journal.MaxSize {
			slog.Error(fmt.Sprintf("software device: want a number of bytes from %d to %d", journal.MinSize, journal.MaxSize),
				"variable", logSizeVariable, "value", size)
		} else {
			n = v
		}
	}
	return &logState{rt: rt, Journal: journal.New(least, n)}
}

// LogOf returns the log state of command buffers: an MTLLogState, or else the one from the
// environment; nil if there is none.
func (drv *Driver) LogOf(state objcsoft.ID) *logState {
	if l, ok := adapter.PayloadOf[*logState](drv.RT, state); ok {
		return l
	}
	return drv.environmentLog()
}

// Deliver gives messages to the handlers. Without one they go to the program's log, as Metal's go
// to the system's.
func (l *logState) Deliver(entries []journal.Entry, dropped int64) {
	l.dropped.Add(dropped)
	l.mu.Lock()
	blocks, located := slices.Clone(l.blocks), slices.Clone(l.located)
	l.mu.Unlock()
	if len(blocks)+len(located) == 0 {
		l.report(entries)
		entries = nil
	}
	for i := range entries {
		e := &entries[i]
		subsystem, category, text := l.rt.NewString(e.Log.Subsystem), l.rt.NewString(e.Log.Category), l.rt.NewString(e.Text)
		file := l.rt.NewString(e.File)
		args := []uintptr{uintptr(subsystem), uintptr(category), uintptr(e.Level), uintptr(text)}
		l.invoke(blocks, args)
		l.invoke(located, append(args, uintptr(file), uintptr(e.Line), uintptr(e.Thread[0]), uintptr(e.Thread[1]),
			uintptr(e.Thread[2])))
		adapter.Release(l.rt, subsystem, category, text, file)
	}
	if dropped > 0 && len(located) == 0 { // Metal's handlers are not notified of it, and the others query it
		l.reportDropped(dropped)
	}
}

// invoke calls blocks.
func (l *logState) invoke(blocks []objcsoft.ID, args []uintptr) {
	for _, b := range blocks {
		adapter.InPool(l.rt, func() {
			_, _ = l.rt.InvokeBlock(b, args) // the runtime reports a panic
		})
	}
}

// report writes messages that have no handler.
func (l *logState) report(entries []journal.Entry) {
	stderr := os.Getenv(logStderrVariable) == "1"
	for _, e := range entries {
		if stderr {
			fmt.Fprintf(os.Stderr, "[%s:%s] %s: %s\n", e.Log.Subsystem, e.Log.Category, e.Level, e.Text)
			continue
		}
		slog.LogAttrs(context.Background(), slogLevel(e.Level), e.Text, slog.String("subsystem", e.Log.Subsystem),
			slog.String("category", e.Log.Category), slog.String("file", e.File), slog.Int("line", e.Line),
			slog.String("thread", fmt.Sprint(e.Thread)))
	}
}

// reportDropped reports how many messages a command buffer has dropped.
func (l *logState) reportDropped(dropped int64) {
	text := fmt.Sprintf("%d messages were dropped: the log's buffer has %d bytes", dropped, l.Journal.Size())
	if os.Getenv(logStderrVariable) == "1" {
		fmt.Fprintln(os.Stderr, text)
		return
	}
	slog.Warn("software device: " + text)
}

// slogLevel returns the level of the program's log that is most like one of Metal's.
func slogLevel(l ir.LogLevel) slog.Level {
	switch l {
	case ir.LogDebug:
		return slog.LevelDebug
	case ir.LogError:
		return slog.LevelError
	case ir.LogFault:
		return slog.LevelError + 4
	}
	return slog.LevelInfo
}
