package profile

import (
	"cmp"
	"compress/gzip"
	"io"
	"time"
)

// WritePprof writes a profile for go tool pprof, compressed: device times and numbers of commands
// by kernel and by the line of the program that recorded them, with the operation as label. A
// sample's stack is the kernel, called by that line; a kernel that was translated has its place in
// the source.
func (p *Profile) WritePprof(w io.Writer) error {
	if err := p.writable(w); err != nil {
		return err
	}
	z := gzip.NewWriter(w)
	_, err := z.Write(p.pprof())
	return cmp.Or(err, z.Close())
}

// sampleKey is what the commands of a sample have in common.
type sampleKey struct {
	operation    string
	kernel, site Site
}

// pprof encodes the profile in the format of github.com/google/pprof/proto/profile.proto. The
// format's library is for tests only; docs/RATIONALE.md says why.
func (p *Profile) pprof() []byte {
	index := map[uint64]int{}
	for i := range p.Operations {
		index[p.Operations[i].Number] = i
	}
	counts, times := map[sampleKey]int64{}, map[sampleKey]time.Duration{}
	var order []sampleKey
	for i := range p.Commands {
		c := &p.Commands[i]
		if !c.onDevice() {
			continue
		}
		k := sampleKey{kernel: c.Source, site: c.Site}
		k.kernel.Function = c.name()
		if o, ok := index[c.Operation]; ok {
			k.operation = p.Operations[o].Name
		}
		if counts[k]++; counts[k] == 1 {
			order = append(order, k)
		}
		if c.Timed != NotTimed {
			times[k] += c.Time()
		}
	}
	var out message
	names := &stringTable{index: map[string]int64{"": 0}, list: []string{""}}
	valueType := func(kind, unit string) (m message) {
		m.integer(1, names.of(kind))
		m.integer(2, names.of(unit))
		return m
	}
	out.bytes(1, valueType("commands", "count"))
	out.bytes(1, valueType("device", "nanoseconds"))
	functions := map[Site]int64{}
	var locations []message
	location := func(s Site) int64 {
		if id, ok := functions[s]; ok {
			return id
		}
		id := int64(len(functions) + 1)
		functions[s] = id
		var line, at, function message
		line.integer(1, id)
		line.integer(2, int64(s.Line))
		at.integer(1, id)
		at.integer(2, 1)
		at.bytes(4, line)
		function.integer(1, id)
		function.integer(2, names.of(s.Function))
		function.integer(3, names.of(s.Function))
		function.integer(4, names.of(s.File))
		locations = append(locations, at, function)
		return id
	}
	for _, k := range order {
		var sample, stack, values message
		stack.varint(uint64(location(k.kernel)))
		if k.site != (Site{}) {
			stack.varint(uint64(location(k.site)))
		}
		values.varint(uint64(counts[k]))
		values.varint(uint64(times[k]))
		sample.bytes(1, stack)
		sample.bytes(2, values)
		if k.operation != "" {
			var label message
			label.integer(1, names.of("operation"))
			label.integer(2, names.of(k.operation))
			sample.bytes(3, label)
		}
		out.bytes(2, sample)
	}
	var mapping message // pprof wants one to show names
	mapping.integer(1, 1)
	mapping.integer(7, 1)
	mapping.integer(8, 1)
	mapping.integer(9, 1)
	out.bytes(3, mapping)
	for i, m := range locations {
		out.bytes(4+i%2, m)
	}
	period := names.of("device")
	for _, s := range names.list {
		out.bytes(6, message(s))
	}
	out.integer(9, p.Began.UnixNano())
	out.integer(10, int64(p.Took))
	out.integer(14, period) // the values to show first
	return out
}

// stringTable is the table of strings.
type stringTable struct {
	index map[string]int64
	list  []string
}

func (s *stringTable) of(text string) int64 {
	i, ok := s.index[text]
	if !ok {
		i = int64(len(s.list))
		s.index[text] = i
		s.list = append(s.list, text)
	}
	return i
}

// message is an encoded protocol buffer.
type message []byte

func (m *message) varint(x uint64) {
	for ; x >= 0x80; x >>= 7 {
		*m = append(*m, byte(x)|0x80)
	}
	*m = append(*m, byte(x))
}

// integer adds a field; 0 is the default.
func (m *message) integer(field int, x int64) {
	if x != 0 {
		m.varint(uint64(field) << 3)
		m.varint(uint64(x))
	}
}

func (m *message) bytes(field int, data message) {
	m.varint(uint64(field)<<3 | 2)
	m.varint(uint64(len(data)))
	*m = append(*m, data...)
}
