package command

import "fmt"

// Trace is what a buffer did, for people and scripts. Times are in nanoseconds of the GPU.
type Trace struct {
	Label     string         `json:"label,omitempty"`
	Status    string         `json:"status"`
	Error     string         `json:"error,omitempty"`
	Committed uint64         `json:"committed"`
	Scheduled uint64         `json:"scheduled"`
	GPUStart  uint64         `json:"gpuStart"`
	GPUEnd    uint64         `json:"gpuEnd"`
	Commands  []TraceCommand `json:"commands"`
}

// TraceCommand is one command. Which fields it has depends on its kind.
type TraceCommand struct {
	Kind       string      `json:"kind"` // begin, end, dispatch, dispatchIndirect, execute, copy, wait or signal
	Call       string      `json:"call,omitempty"`
	Encoder    string      `json:"encoder,omitempty"` // compute or blit
	Label      string      `json:"label,omitempty"`
	Concurrent bool        `json:"concurrent,omitempty"`
	Signposts  []string    `json:"signposts,omitempty"`
	Kernel     string      `json:"kernel,omitempty"`
	Threads    *[3]uint32  `json:"threads,omitempty"`
	Group      *[3]uint32  `json:"threadsPerThreadgroup,omitempty"`
	Address    string      `json:"indirectArguments,omitempty"`
	First      *int32      `json:"firstCommand,omitempty"`
	Count      *int32      `json:"commandCount,omitempty"`
	Value      *uint64     `json:"value,omitempty"` // of an event
	Arguments  []TraceSlot `json:"arguments,omitempty"`
}

// TraceSlot is what is bound at one index of an argument table.
type TraceSlot struct {
	Kind  string `json:"kind"` // buffer, texture, sampler or threadgroup
	Index int    `json:"index"`
	Value string `json:"value"` // an address, a handle, or a number of bytes
}

// Trace returns what the buffer did. It may be called only from the function in Traced.
func (b *Buffer) Trace() Trace {
	t := Trace{Label: b.Label, Status: "completed", Committed: b.Time(KernelStart), Scheduled: b.Time(KernelEnd),
		GPUStart: b.Time(GPUStart), GPUEnd: b.Time(GPUEnd),
		Commands: b.traced}
	if b.err != nil {
		t.Status, t.Error = "error", b.err.Error()
	}
	return t
}

// traces describes the commands, without a reference to the list.
func (l *list) traces() []TraceCommand {
	out := make([]TraceCommand, 0, len(l.ops))
	for _, o := range l.ops {
		out = append(out, l.trace(o))
	}
	return out
}

func (l *list) trace(o op) TraceCommand {
	c := TraceCommand{Call: o.call}
	switch o.kind {
	case opBegin:
		p := &l.passes[o.n]
		c.Kind, c.Encoder, c.Label, c.Concurrent = "begin", p.kind.String(), p.label, p.concurrent
		for _, s := range p.signposts {
			c.Signposts = append(c.Signposts, s.text)
		}
	case opEnd:
		c.Kind = "end"
	case opDispatch, opIndirect:
		c.Kind, c.Kernel, c.Threads, c.Group = "dispatch", o.pipeline.Name, &o.grid, &o.group
		if o.kind == opIndirect {
			c.Kind, c.Threads, c.Address = "dispatchIndirect", nil, fmt.Sprintf("%#x", o.value)
			if o.flags&threadsInMemory != 0 {
				c.Group = nil
			}
		}
		c.Arguments = l.slots(o.args)
	case opExecute:
		c.Kind, c.First, c.Count = "execute", &o.first, &o.n
		if o.flags&rangeInMemory != 0 {
			c.First, c.Count, c.Address = nil, nil, fmt.Sprintf("%#x", o.value)
		}
		if o.pipeline != nil {
			c.Kernel = o.pipeline.Name
		}
		c.Arguments = l.slots(o.args)
	case opDo:
		c.Kind = "copy"
	case opWait:
		c.Kind, c.Value = "wait", &o.value
	case opSignal:
		c.Kind, c.Value = "signal", &o.value
	case opBarrier, opFence:
		c.Kind = "barrier"
	}
	return c
}

// slots lists what is bound.
func (l *list) slots(a args) (out []TraceSlot) {
	b := l.at(a)
	for _, k := range [...]struct {
		kind, format string
		words        []uint64
	}{{"buffer", "%#x", b.Buffers}, {"texture", "%#x", b.Textures}, {"sampler", "%#x", b.Samplers},
		{"threadgroup", "%d", b.Memory}} {
		for i, w := range k.words {
			if w != 0 {
				out = append(out, TraceSlot{k.kind, i, fmt.Sprintf(k.format, w)})
			}
		}
	}
	return out
}
