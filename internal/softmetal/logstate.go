package softmetal

import (
	"log/slog"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// logState is the state of an MTLLogState: who hears what kernels log.
type logState struct {
	rt    *objcsoft.Runtime
	level int64 // MTLLogLevel: messages below are dropped

	mu     sync.Mutex
	blocks []objcsoft.ID
}

// kernelLevel is the level of what kernels log: the language's os_log of the default kind.
const kernelLevel = mtlLogLevelNotice

// Sizes of the buffer that kernels log into. This device hands messages on at once, but a size that Metal refuses is refused.
const (
	minLogBuffer = 1 << 10
	maxLogBuffer = 1 << 30
)

func logClasses() []class {
	return []class{
		{name: "MTLLogStateDescriptor", protocols: []string{"NSCopying"}, record: &recordSpec{props: []prop{{name: "level"}, {name: "bufferSize"}}}},
		{name: "PMSoftDevice", methods: methods{"newLogStateWithDescriptor:error:": on((*device).newLogState)}},
		{name: "PMSoftLogState", protocols: []string{"MTLLogState"}, dealloc: freed((*logState).free), methods: methods{
			"addLogHandler:": on((*logState).addHandler),
		}},
		{name: "PMSoftLogContainer", protocols: []string{"MTLLogContainer"}},
	}
}

func (d *device) newLogState(c *objcsoft.Call) {
	r := recordArg(c, 0, "descriptor")
	if r == nil {
		return
	}
	level, n := int64(r.word("level")), r.uint("bufferSize")
	switch {
	case n != 0 && (n < minLogBuffer || n > maxLogBuffer):
		refuse(c, 1, logStateErrorDomain, mtlLogStateErrorInvalidSize, "the buffer's size is %d bytes, want %d to %d", n, minLogBuffer, maxLogBuffer)
	case level < mtlLogLevelUndefined || level > mtlLogLevelFault:
		refuse(c, 1, logStateErrorDomain, mtlLogStateErrorInvalid, "the level is %d, want %d to %d", level, mtlLogLevelUndefined, mtlLogLevelFault)
	default:
		c.ReturnID(d.world.new("PMSoftLogState", &logState{rt: c.RT, level: level}))
	}
}

func (l *logState) addHandler(c *objcsoft.Call) {
	block := c.ID(0)
	if block == 0 {
		misuse(c, "the handler is nil")
		return
	}
	if err := c.RT.Retain(block); err != nil {
		c.Fail(err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.blocks = append(l.blocks, block)
}

func (l *logState) free(o *objcsoft.Object) { o.Drop(l.blocks...) }

// logger returns what receives the messages of a command buffer's kernels. Without a handler they go to the program's log.
func logger(rt *objcsoft.Runtime, state objcsoft.ID) func(message, at string) {
	l, ok := payloadOf[*logState](rt, state)
	if !ok {
		return logPlainly
	}
	return l.log
}

func logPlainly(message, at string) { slog.Info("kernel: "+message, "at", at) }

func (l *logState) log(message, at string) {
	if l.level > kernelLevel {
		return
	}
	l.mu.Lock()
	blocks := append([]objcsoft.ID(nil), l.blocks...)
	l.mu.Unlock()
	if len(blocks) == 0 {
		logPlainly(message, at)
		return
	}
	subsystem, category, text := l.rt.NewString(""), l.rt.NewString(at), l.rt.NewString(message)
	for _, b := range blocks {
		inPool(l.rt, func() {
			_, _ = l.rt.InvokeBlock(b, []uintptr{uintptr(subsystem), uintptr(category), kernelLevel, uintptr(text)}) // a panic is told by the runtime
		})
	}
	release(l.rt, subsystem, category, text)
}
