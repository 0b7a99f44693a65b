package ir

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// Decode wraps one of these errors.
var (
	// ErrEncodedVersion: the bytes were encoded by another version of this package and may be valid
	// for it.
	ErrEncodedVersion = errors.New("encoded by another version")
	// ErrEncoded: the bytes are not the encoding of a valid module.
	ErrEncoded = errors.New("not an encoded module")
)

// Decode reads the output of Encode. It verifies the module, so the result is valid whatever the
// bytes are. Its memory use is proportional to the input.
func Decode(data []byte) (m *Module, err error) {
	if len(data) < encodeHeader || string(data[:len(encodeMagic)]) != encodeMagic {
		return nil, fmt.Errorf("ir: %w: no header", ErrEncoded)
	}
	head := data[len(encodeMagic):encodeHeader]
	if version, print := head[0],
		binary.LittleEndian.Uint64(head[1:]); version != encodeVersion || print != fingerprint() {
		return nil, fmt.Errorf("ir: version %d with tables %016x, want %d with %016x: %w", version, print, encodeVersion,
			fingerprint(), ErrEncodedVersion)
	}
	body := data[encodeHeader:]
	if sum := checksum(body); sum != binary.LittleEndian.Uint32(head[9:]) {
		return nil, fmt.Errorf("ir: %w: the checksum does not match", ErrEncoded)
	}
	defer func() {
		if r := recover(); r != nil {
			bad, ok := r.(badEncoding)
			if !ok {
				panic(r)
			}
			m, err = nil, fmt.Errorf("ir: %w: byte %d: %s", ErrEncoded, bad.at+encodeHeader, bad.what)
		}
	}()
	d := &decoder{data: body}
	if m = d.module(); d.at < len(body) {
		d.fail("%d bytes too many", len(body)-d.at)
	}
	if err := m.Verify(); err != nil {
		return nil, fmt.Errorf("ir: %w: %w", ErrEncoded, err)
	}
	return m, nil
}

// badEncoding is a panic value that describes what is wrong with the bytes; Decode recovers it.
type badEncoding struct {
	at   int
	what string
}

type decoder struct {
	data []byte
	at   int

	texts []string
	types []Type

	f         *Func
	values    []*Value // in the order of definition
	args      []*Value // of one instruction
	enclosing []*Instr
	loc       Loc
}

func (d *decoder) fail(format string, args ...any) {
	panic(badEncoding{d.at, fmt.Sprintf(format, args...)})
}

func (d *decoder) number() uint64 {
	n, size := binary.Uvarint(d.data[d.at:])
	if size <= 0 {
		d.fail("no number")
	}
	d.at += size
	return n
}

func (d *decoder) signed() int64 {
	n, size := binary.Varint(d.data[d.at:])
	if size <= 0 {
		d.fail("no number")
	}
	d.at += size
	return n
}

// below reads a number that must be less than limit.
func (d *decoder) below(limit uint64, what string) int {
	n := d.number()
	if n >= limit {
		d.fail("%s is %d, want less than %d", what, n, limit)
	}
	return int(n)
}

// count reads the number of items that follow, each of which takes at least one byte.
func (d *decoder) count(what string) int {
	return d.below(uint64(len(d.data)-d.at), what)
}

func (d *decoder) byte() byte {
	if d.at == len(d.data) {
		d.fail("the end")
	}
	d.at++
	return d.data[d.at-1]
}

// bytes reads a byte string, which shares the input's memory.
func (d *decoder) bytes(what string) []byte {
	n := d.below(uint64(len(d.data)-d.at)+1, what)
	if n > len(d.data)-d.at {
		d.fail("%s has %d bytes, and %d are left", what, n, len(d.data)-d.at)
	}
	d.at += n
	return d.data[d.at-n : d.at : d.at]
}

func (d *decoder) text() string { return d.texts[d.below(uint64(len(d.texts)), "a string's place")] }
func (d *decoder) typ() Type    { return d.types[d.below(uint64(len(d.types)), "a type's place")] }

func (d *decoder) place() Loc {
	l := Loc{File: uint16(d.below(1<<16, "a file"))}
	line := int64(d.loc.Line) + d.signed()
	if line < 0 || line >= 1<<32 {
		d.fail("a line is %d", line)
	}
	l.Line, l.Col, l.Scope = uint32(line), uint16(d.below(1<<16, "a column")), uint32(d.below(1<<32, "a scope"))
	d.loc = l
	return l
}

func (d *decoder) module() *Module {
	m := &Module{}
	for range d.count("the number of strings") {
		d.texts = append(d.texts, string(d.bytes("a string")))
	}
	for range d.count("the number of types") {
		t := Type{Kind(d.byte()), d.byte(), Space(d.byte()), Kind(d.byte()), TextureDim(d.byte()), Access(d.byte())}
		if !t.Valid() {
			d.fail("no type: %v", t)
		}
		d.types = append(d.types, t)
	}
	for range d.count("the number of files") {
		m.Files = append(m.Files, d.text())
	}
	for range d.count("the number of globals") {
		g := &Global{Name: d.text(), Align: d.below(4097, "an alignment")}
		g.Data = append(g.Data, d.bytes("a global")...)
		m.Globals = append(m.Globals, g)
	}
	for range d.count("the number of visible functions") {
		m.Visible = append(m.Visible, VisibleFunction{Name: d.text(), Type: d.text()})
	}
	for range d.count("the number of logs") {
		m.Logs = append(m.Logs, Log{Subsystem: d.text(), Category: d.text()})
	}
	for n := d.below(uint64(len(d.data)), "the number of functions"); n > 0; n-- {
		d.fn(m)
	}
	return m
}

func (d *decoder) fn(m *Module) {
	d.loc, d.values, d.enclosing = Loc{}, d.values[:0], d.enclosing[:0]
	f := m.NewFunc(d.text())
	if d.f != nil { // the unused rest of its memory, so that small functions take little
		f.slab, d.f.slab = d.f.slab, slab{}
	}
	d.f = f
	f.Pos = d.place()
	var data funcData
	if err := json.Unmarshal(d.bytes("the reflection"), &data); err != nil {
		d.fail("the reflection: %v", err)
	}
	f.Args, f.Constants, f.Threadgroup, f.Samplers, f.Attributes = data.Args, data.Constants, data.Threadgroup,
		data.Samplers, data.Attributes
	for range d.count("the number of inlined calls") {
		f.Inlined = append(f.Inlined, Inline{Func: d.text(), At: d.place()})
	}
	d.region(f.Body)
}

// maxReserved is the number of instructions for which a region reserves memory in advance. It is
// small because the input may be truncated, also in the enclosing regions.
const maxReserved = 256

func (d *decoder) region(r *Region) {
	if len(d.enclosing) > MaxNesting {
		d.fail("regions nest deeper than %d", MaxNesting)
	}
	for range d.count("the number of parameters") {
		d.values = append(d.values, d.f.AddParam(r, d.typ()))
	}
	n := d.count("the number of instructions")
	if n > 0 {
		r.Instrs = make([]*Instr, 0, min(n, maxReserved))
	}
	for range n {
		r.Instrs = append(r.Instrs, d.instr(r))
	}
}

func (d *decoder) instr(parent *Region) *Instr {
	in := d.f.slab.instr()
	in.Parent = parent
	in.Op = Op(d.below(uint64(numOps), "an operation"))
	fields := d.below(allFields, "the fields")
	if fields&hasOrder != 0 {
		in.Order = Order(d.byte())
	}
	if fields&hasFlags != 0 {
		in.Flags = Flags(d.byte())
	}
	if fields&hasMem != 0 {
		in.Mem = MemMask(d.byte())
	}
	if fields&hasImm != 0 {
		in.Imm = d.signed()
	}
	if fields&hasBits != 0 {
		for range d.count("the number of lanes") {
			in.Bits = append(in.Bits, d.number())
		}
	}
	if fields&hasName != 0 {
		in.Name = d.text()
	}
	if in.Loc = d.loc; fields&hasLoc != 0 {
		in.Loc = d.place()
	}
	if n := d.count("the number of operands"); n > 0 {
		d.args = d.args[:0]
		for i := range n {
			back := d.number()
			if back == 0 || back > uint64(len(d.values)) {
				d.fail("operand %d of %v is defined nowhere", i, in.Op)
			}
			d.args = append(d.args, d.values[uint64(len(d.values))-back])
		}
		in.Args = d.f.slab.list(d.args...)
	}
	for range d.count("the number of results") {
		d.values = append(d.values, d.f.AddResult(in, d.typ()))
	}
	if in.Op == OpBreak || in.Op == OpContinue {
		in.Target = d.enclosing[len(d.enclosing)-1-d.below(uint64(len(d.enclosing)), "a target")]
	}
	if n := d.below(3, "the number of regions"); n > 0 {
		d.enclosing = append(d.enclosing, in)
		for range n {
			r := &Region{Owner: in}
			in.Regions = append(in.Regions, r)
			d.region(r)
		}
		d.enclosing = d.enclosing[:len(d.enclosing)-1]
	}
	return in
}
