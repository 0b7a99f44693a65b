package stream

import (
	"context"

	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/mtl"
)

// Transfer is what a blit encoder reads and overwrites.
type Transfer struct {
	From, To View // from.mem is nil if nothing is read
	Held     bool // the caller has counted a use, so that more may be counted of closed memory
}

// Ends returns what is read and overwritten.
func (t *Transfer) Ends() *Transfer { return t }

// Use implements Command.
func (t *Transfer) Use() error {
	use := (*Memory).Use
	if t.Held {
		use = (*Memory).UseAgain
	}
	if t.From.Mem != nil {
		if err := use(t.From.Mem); err != nil {
			return err
		}
	}
	err := use(t.To.Mem)
	if err != nil && t.From.Mem != nil {
		t.From.Mem.Done()
	}
	return err
}

// Done implements Command.
func (t *Transfer) Done() {
	if t.From.Mem != nil {
		t.From.Mem.Done()
	}
	t.To.Mem.Done()
}

// Side implements Command.
func (t *Transfer) Side() Side { return ByDevice }

// Launched implements Command.
func (t *Transfer) Launched() *Launch { return nil }

// Size implements Command.
func (t *Transfer) Size() int { return int(t.From.Length + t.To.Length) }

// Recorded implements Command.
func (t *Transfer) Recorded() {}

// Accesses implements Command.
func (t *Transfer) Accesses(list []RangeAccess) []RangeAccess {
	if t.From.Mem != nil {
		list = append(list, RangeAccess{View: t.From, Reads: true})
	}
	return append(list, RangeAccess{View: t.To, Writes: true, Whole: true})
}

// Hazards implements Command.
func (t *Transfer) Hazards(spans []Span) []Span {
	if t.From.Mem != nil {
		spans = append(spans, SpanOf(t.From, false))
	}
	return append(spans, SpanOf(t.To, true))
}

// CopyCommand copies between buffers.
type CopyCommand struct{ Transfer }

// Encode implements Command.
func (c *CopyCommand) Encode(e *Encoder, w *Work) error {
	return e.Transfer(w, func(b mtl.BlitCommandEncoder) error {
		return b.CopyFromBuffer(c.From.Mem.Buffer, c.From.Offset, c.To.Mem.Buffer, c.To.Offset, c.To.Length)
	})
}

// Summarize implements Command.
func (c *CopyCommand) Summarize(s *CommandSummary) { s.Form, s.bytes = "copy of %d bytes", c.To.Length }

// Observe implements Command.
func (c *CopyCommand) Observe(e *observe.RecordEvent) {
	e.Kind, e.Bytes = observe.CommandCopy, uint64(c.To.Length)
}

// Tally implements Command.
func (c *CopyCommand) Tally(n *Counters) { n.Copy(uint64(c.To.Length)) }

// Always implements Poisoner.
func (c *CopyCommand) Always() bool { return false }

// Poison copies the poison as well.
func (c *CopyCommand) Poison(_ *Device, _ *Work, failed error) bool {
	if failed != nil {
		return false
	}
	var moved []Poisoned
	for _, r := range c.From.Mem.Poison().In(c.From.Offset, c.From.Offset+c.From.Length) {
		r.from, r.to, r.Derived = r.from-c.From.Offset+c.To.Offset, r.to-c.From.Offset+c.To.Offset, true
		moved = append(moved, r)
	}
	if len(moved) > 0 {
		c.To.Mem.needPoison().Replace(c.To.Offset, c.To.Offset+c.To.Length, moved)
	} else {
		c.To.Overwritten()
	}
	return true
}

// FillCommand sets every byte of a range.
type FillCommand struct {
	Transfer
	Value uint8
}

// Encode implements Command.
func (c *FillCommand) Encode(e *Encoder, w *Work) error {
	return e.Transfer(w, func(b mtl.BlitCommandEncoder) error {
		return b.FillBuffer(c.To.Mem.Buffer, mtl.Range{Location: c.To.Offset, Length: c.To.Length}, c.Value)
	})
}

// Summarize implements Command.
func (c *FillCommand) Summarize(s *CommandSummary) { s.Form, s.bytes = "fill of %d bytes", c.To.Length }

// Observe implements Command.
func (c *FillCommand) Observe(e *observe.RecordEvent) {
	e.Kind, e.Bytes = observe.CommandFill, uint64(c.To.Length)
}

// Tally implements Command.
func (c *FillCommand) Tally(n *Counters) {
	n.Fills.Add(1)
	n.Filled.Add(uint64(c.To.Length))
}

// SynchronizeCommand makes what the device wrote to managed memory visible to the host.
type SynchronizeCommand struct{ Transfer }

// Encode implements Command.
func (c *SynchronizeCommand) Encode(e *Encoder, w *Work) error {
	return e.Transfer(w, func(b mtl.BlitCommandEncoder) error {
		return b.SynchronizeResource(c.To.Mem.Buffer.Resource)
	})
}

// Summarize implements Command.
func (c *SynchronizeCommand) Summarize(s *CommandSummary) { s.Form = "synchronize" }

// Observe implements Command.
func (c *SynchronizeCommand) Observe(e *observe.RecordEvent) { e.Kind = observe.CommandCopy }

// Tally implements Command.
func (c *SynchronizeCommand) Tally(n *Counters) { n.Copy(0) }

// Accesses implements Command.
func (c *SynchronizeCommand) Accesses(list []RangeAccess) []RangeAccess {
	return append(list, RangeAccess{View: c.To, Reads: true})
}

// WhileUnused waits until no recorded work uses the memory, and calls do. Meanwhile neither the
// memory nor the accelerator can be released; otherwise the pool could rent the memory to others
// during the copy.
func (m *Memory) WhileUnused(ctx context.Context, do func() error) error {
	if err := m.Acc.BeginWait(); err != nil { // the accelerator's Close waits
		return err
	}
	defer m.Acc.Waits.Done()
	if !m.Idle() {
		m.Acc.HurryGuarded()
	}
	if err := m.hold(ctx); err != nil {
		return err
	}
	defer m.Done()
	return do()
}

// Write copies data to memory that the host can access and that no work uses.
func (m *Memory) Write(offset uint, data []byte) error {
	to, err := m.Buffer.BytesAt(offset, uint(len(data)))
	if err != nil {
		return err
	}
	copy(to, data)
	m.Written(offset, uint(len(data)))
	m.KeepWritten(offset, uint(len(data)))
	if m.Mode() == mtl.StorageModeManaged {
		return m.Buffer.DidModifyRange(mtl.Range{Location: offset, Length: uint(len(data))})
	}
	return nil
}

// Read copies memory that the host can access to data. Managed memory must have been synchronized.
func (m *Memory) Read(offset uint, data []byte) error {
	from, err := m.Buffer.BytesAt(offset, uint(len(data)))
	copy(data, from)
	return err
}

// RoundUp rounds up to a multiple of unit.
func RoundUp(n, unit uint) uint { return (n + unit - 1) / unit * unit }

// NewCopy returns a copy between ranges of the same length.
func NewCopy(from, to View) *CopyCommand { return &CopyCommand{Transfer{From: from, To: to}} }

// NewHeldCopy is NewCopy for memory of which the caller has counted a use.
func NewHeldCopy(from, to View) *CopyCommand {
	return &CopyCommand{Transfer{From: from, To: to, Held: true}}
}

// NewSynchronize returns a command that makes a memory visible to the host.
func NewSynchronize(m *Memory) *SynchronizeCommand {
	return &SynchronizeCommand{Transfer{To: View{m, 0, m.Length}}}
}

// NewHeldSynchronize is NewSynchronize for memory of which the caller has counted a use.
func NewHeldSynchronize(m *Memory) *SynchronizeCommand {
	return &SynchronizeCommand{Transfer{To: View{m, 0, m.Length}, Held: true}}
}
