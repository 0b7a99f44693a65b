package ir

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"slices"
	"sync"
)

// An encoded module consists of encodeMagic, encodeVersion, the fingerprint of this package's
// tables, the CRC-32C of the rest, and the rest: strings, types, the data shared by functions, and
// the functions. Numbers are variable-length. A string or type is encoded as its index in its list,
// a value as its distance from the next value to be defined, and a loop as the number of enclosing
// loops and blocks in between. Reflection data is JSON, as in the text form.

const (
	encodeMagic = "PMIR"
	// encodeVersion is incremented when the format or the meaning of an operation changes. New
	// operations change the fingerprint.
	encodeVersion = 2
	encodeHeader  = len(encodeMagic) + 1 + 8 + 4
)

// fingerprint depends on the number and names of operations, types and everything else that is
// encoded by number or name.
var fingerprint = sync.OnceValue(func() uint64 {
	h := fnv.New64a()
	for op := Op(0); op < numOps; op++ {
		fmt.Fprintln(h, op)
	}
	for k := Kind(0); k < numKinds; k++ {
		fmt.Fprintln(h, k)
	}
	fmt.Fprintln(h, spaceNames, textureDims, accessNames, orderNames, memNames, flagNames, inputTable, texPropertyNames,
		commandOpNames, logLevelNames, dataTypes)
	return h.Sum64()
})

func checksum(data []byte) uint32 { return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)) }

// The fields present in an encoded instruction.
const (
	hasOrder = 1 << iota
	hasFlags
	hasMem
	hasImm
	hasBits
	hasName
	hasLoc // differs from that of the previous instruction
	allFields
)

// funcData is the part of a function that is encoded as JSON.
type funcData struct {
	Args        []Arg              `json:"args,omitempty"`
	Constants   []FunctionConstant `json:"constants,omitempty"`
	Threadgroup []Memory           `json:"threadgroup,omitempty"`
	Samplers    []SamplerState     `json:"samplers,omitempty"`
	Attributes  Attributes         `json:"attributes,omitzero"`
}

// Encode encodes a valid module as bytes for Decode. Equal modules encode to equal bytes, and
// decoding and re-encoding gives the same bytes; values get new IDs. Encode may return an error for
// an invalid module.
func (m *Module) Encode() ([]byte, error) {
	e := &encoder{strings: map[string]int{}, types: map[Type]int{}}
	e.count(len(m.Files))
	for _, f := range m.Files {
		e.text(f)
	}
	e.count(len(m.Globals))
	for _, g := range m.Globals {
		e.text(g.Name)
		e.count(g.Align)
		e.bytes(g.Data)
	}
	e.count(len(m.Visible))
	for _, v := range m.Visible {
		e.text(v.Name)
		e.text(v.Type)
	}
	e.count(len(m.Logs))
	for _, l := range m.Logs {
		e.text(l.Subsystem)
		e.text(l.Category)
	}
	e.count(len(m.Funcs))
	for _, f := range m.Funcs {
		if err := e.fn(f); err != nil {
			return nil, fmt.Errorf("ir: encoding kernel %q: %w", f.Name, err)
		}
	}
	return e.finish(), nil
}

type encoder struct {
	out     []byte
	strings map[string]int
	texts   []string
	types   map[Type]int
	list    []Type

	values    map[*Value]uint64 // index in definition order
	enclosing []*Instr
	loc       Loc
}

// finish prepends the header, the strings and the types to the output.
func (e *encoder) finish() []byte {
	body := e.out
	e.out = make([]byte, encodeHeader, encodeHeader+len(body)+1024)
	e.count(len(e.texts))
	for _, s := range e.texts {
		e.bytes([]byte(s))
	}
	e.count(len(e.list))
	for _, t := range e.list {
		e.out = append(e.out, byte(t.Kind), t.N, byte(t.Space), byte(t.Elem), byte(t.Dim), byte(t.Access))
	}
	e.out = append(e.out, body...)
	h := append(e.out[:0], encodeMagic...)
	h = append(h, encodeVersion)
	h = binary.LittleEndian.AppendUint64(h, fingerprint())
	binary.LittleEndian.AppendUint32(h, checksum(e.out[encodeHeader:]))
	return e.out
}

func (e *encoder) number(n uint64) { e.out = binary.AppendUvarint(e.out, n) }
func (e *encoder) signed(n int64)  { e.out = binary.AppendVarint(e.out, n) }
func (e *encoder) count(n int)     { e.number(uint64(n)) }

func (e *encoder) bytes(b []byte) {
	e.count(len(b))
	e.out = append(e.out, b...)
}

func (e *encoder) text(s string) {
	i, ok := e.strings[s]
	if !ok {
		i = len(e.texts)
		e.strings[s] = i
		e.texts = append(e.texts, s)
	}
	e.count(i)
}

func (e *encoder) typ(t Type) {
	i, ok := e.types[t]
	if !ok {
		i = len(e.list)
		e.types[t] = i
		e.list = append(e.list, t)
	}
	e.count(i)
}

func (e *encoder) place(l Loc) {
	e.count(int(l.File))
	e.signed(int64(l.Line) - int64(e.loc.Line))
	e.count(int(l.Col))
	e.count(int(l.Scope))
	e.loc = l
}

func (e *encoder) fn(f *Func) error {
	data, err := json.Marshal(funcData{f.Args, f.Constants, f.Threadgroup, f.Samplers, f.Attributes})
	if err != nil {
		return err
	}
	e.loc, e.values, e.enclosing = Loc{}, make(map[*Value]uint64, f.NumValues()), nil
	e.text(f.Name)
	e.place(f.Pos)
	e.bytes(data)
	e.count(len(f.Inlined))
	for _, in := range f.Inlined {
		e.text(in.Func)
		e.place(in.At)
	}
	return e.region(f.Body)
}

func (e *encoder) define(v *Value) {
	e.values[v] = uint64(len(e.values))
	e.typ(v.Type)
}

func (e *encoder) region(r *Region) error {
	if r == nil || len(e.enclosing) > MaxNesting {
		return errors.New("a region is missing or too deep")
	}
	e.count(len(r.Params))
	for _, p := range r.Params {
		e.define(p)
	}
	e.count(len(r.Instrs))
	for _, in := range r.Instrs {
		if err := e.instr(in); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) instr(in *Instr) error {
	e.count(int(in.Op))
	var fields uint64
	for i, has := range [...]bool{in.Order != 0, in.Flags != 0, in.Mem != 0, in.Imm != 0, len(in.Bits) > 0, in.Name != "",
		in.Loc != e.loc} {
		if has {
			fields |= 1 << i
		}
	}
	e.number(fields)
	if fields&hasOrder != 0 {
		e.out = append(e.out, byte(in.Order))
	}
	if fields&hasFlags != 0 {
		e.out = append(e.out, byte(in.Flags))
	}
	if fields&hasMem != 0 {
		e.out = append(e.out, byte(in.Mem))
	}
	if fields&hasImm != 0 {
		e.signed(in.Imm)
	}
	if fields&hasBits != 0 {
		e.count(len(in.Bits))
		for _, b := range in.Bits {
			e.number(b)
		}
	}
	if fields&hasName != 0 {
		e.text(in.Name)
	}
	if fields&hasLoc != 0 {
		e.place(in.Loc)
	}
	e.count(len(in.Args))
	for _, a := range in.Args {
		at, ok := e.values[a]
		if !ok {
			return fmt.Errorf("an operand of %v is not defined before its use", in.Op)
		}
		e.number(uint64(len(e.values)) - at)
	}
	e.count(len(in.Results))
	for _, r := range in.Results {
		e.define(r)
	}
	if in.Op == OpBreak || in.Op == OpContinue {
		i := slices.Index(e.enclosing, in.Target)
		if i < 0 {
			return fmt.Errorf("the target of %v does not enclose it", in.Op)
		}
		e.count(len(e.enclosing) - 1 - i)
	}
	e.count(len(in.Regions))
	e.enclosing = append(e.enclosing, in)
	for _, r := range in.Regions {
		if err := e.region(r); err != nil {
			return err
		}
	}
	e.enclosing = e.enclosing[:len(e.enclosing)-1]
	return nil
}
