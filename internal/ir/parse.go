package ir

import (
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
)

// MaxNesting is the maximum depth to which regions may nest.
const MaxNesting = 256

// Parse reads a module's text. It checks the grammar and that every value and label is used in
// scope; Verify checks the rest. Errors are *SyntaxError.
//
//	module  = { "file" string | "global" string "align" n string(hex) | kernel }
//	kernel  = "kernel" string [loc] "{" { "attributes" json | "arg" json | "constant" json | "threadgroup" json | "sampler" json |
//	          "inlined" string [loc] } "body" region "}"
//	region  = "{" { instr } "}"
//	instr   = [ value { "," value } "=" ] op [label] [ "(" value ":" type "=" value { "," ... } ")" ] [ value { "," value } ]
//	          { "#"n | "[" n {","n} "]" | order | "mem."name | flag | string | literal } [ ":" type {"," type} ] [loc] [ region [ "else" region ] ]
//	value   = "%"n     label = "^"n     loc = "@" file ":" line ":" column [ "~" scope ]
//
// An operation's first operand is on the same line as the operation. const is followed by a
// literal: an integer, true, false, a decimal float, inf, -inf, or 0x and the bits. input,
// tex.query and tex.atomic are followed by a name.
func Parse(text string) (m *Module, err error) {
	p := &parser{scanner: scanner{src: text}}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*SyntaxError)
			if !ok {
				panic(r)
			}
			m, err = nil, e
		}
	}()
	p.next()
	return p.module(), nil
}

type parser struct {
	scanner
	m      *Module
	f      *Func
	b      *Builder
	values map[int]*Value
	labels map[int]*Instr
	depth  int
}

func (p *parser) module() *Module {
	p.m = &Module{}
	for p.tok != "" {
		switch {
		case p.take("file"):
			p.m.Files = append(p.m.Files, p.str())
		case p.take("global"):
			g := &Global{Name: p.str()}
			p.want("align")
			g.Align = int(p.integer(32))
			data, err := hex.DecodeString(p.str())
			if err != nil {
				p.fail("a global's data is not hexadecimal")
			}
			g.Data = data
			p.m.Globals = append(p.m.Globals, g)
		case p.tok == "visible":
			p.next()
			p.m.Visible = append(p.m.Visible, VisibleFunction{})
			p.json(&p.m.Visible[len(p.m.Visible)-1])
		case p.tok == "log":
			p.next()
			p.m.Logs = append(p.m.Logs, Log{})
			p.json(&p.m.Logs[len(p.m.Logs)-1])
		case p.take("kernel"):
			p.kernel()
		default:
			p.fail("want file, global, visible, log or kernel, have %s", p.have())
		}
	}
	return p.m
}

// json consumes a JSON object.
func (p *parser) json(into any) {
	if p.tok != "{" {
		p.fail("want a JSON object, have %s", p.have())
	}
	d := json.NewDecoder(strings.NewReader(p.src[p.at:]))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		p.fail("%v", err)
	}
	p.pos = p.at + int(d.InputOffset())
	p.next()
}

func (p *parser) kernel() {
	p.f = p.m.NewFunc(p.str())
	f := p.f
	p.b, p.values, p.labels = NewBuilder(f), map[int]*Value{}, map[int]*Instr{}
	f.Pos = p.loc()
	p.want("{")
	for !p.take("body") {
		switch word := p.tok; word {
		case "attributes":
			p.next()
			p.json(&f.Attributes)
		case "arg":
			p.next()
			f.Args = append(f.Args, Arg{})
			p.json(&f.Args[len(f.Args)-1])
		case "constant":
			p.next()
			f.Constants = append(f.Constants, FunctionConstant{})
			p.json(&f.Constants[len(f.Constants)-1])
		case "threadgroup":
			p.next()
			f.Threadgroup = append(f.Threadgroup, Memory{})
			p.json(&f.Threadgroup[len(f.Threadgroup)-1])
		case "sampler":
			p.next()
			f.Samplers = append(f.Samplers, SamplerState{})
			p.json(&f.Samplers[len(f.Samplers)-1])
		case "inlined":
			p.next()
			in := Inline{Func: p.str()}
			in.At = p.loc()
			f.Inlined = append(f.Inlined, in)
		default:
			p.fail("want attributes, arg, constant, threadgroup, sampler, inlined or body, have %s", p.have())
		}
	}
	p.region(f.Body)
	p.want("}")
}

func (p *parser) loc() Loc {
	if !p.take("@") {
		return Loc{}
	}
	l := Loc{File: uint16(p.unsigned(16))}
	p.want(":")
	l.Line = uint32(p.unsigned(32))
	p.want(":")
	l.Col = uint16(p.unsigned(16))
	if p.take("~") {
		l.Scope = uint32(p.unsigned(32))
	}
	return l
}

// region consumes the instructions of r. The values it defines go out of scope afterwards.
func (p *parser) region(r *Region) {
	if p.depth++; p.depth > MaxNesting {
		p.fail("regions nest deeper than %d", MaxNesting)
	}
	var mine []int
	p.want("{")
	old := p.b.Enter(r)
	for !p.take("}") {
		mine = append(mine, p.instr()...)
	}
	p.b.Leave(old)
	for _, n := range mine {
		delete(p.values, n)
	}
	p.depth--
}

func (p *parser) define(n int, v *Value) {
	if p.values[n] != nil {
		p.fail("%%%d is defined twice", n)
	}
	p.values[n] = v
}

func (p *parser) value() *Value {
	n := p.number('%')
	v := p.values[n]
	if v == nil {
		p.fail("%%%d is not defined here", n)
	}
	return v
}

func (p *parser) typ() Type {
	t, err := ParseType(p.tok)
	if err != nil {
		p.fail("want a type, have %s", p.have())
	}
	p.next()
	return t
}

// instr consumes an instruction and returns the numbers it defines.
func (p *parser) instr() (results []int) {
	if strings.HasPrefix(p.tok, "%") {
		results = append(results, p.number('%'))
		for p.take(",") {
			results = append(results, p.number('%'))
		}
		p.want("=")
	}
	op := OpByName(p.tok)
	if op == OpInvalid {
		p.fail("unknown operation %s", p.have())
	}
	p.next()
	in := p.f.slab.instr()
	in.Op, in.Parent = op, p.b.Region()
	label := -1
	switch op {
	case OpLoop, OpBlock:
		label = p.number('^')
	case OpBreak, OpContinue:
		n := p.number('^')
		if in.Target = p.labels[n]; in.Target == nil {
			p.fail("no enclosing loop or block is ^%d", n)
		}
	}
	var params []int
	if op == OpLoop || op == OpBlock || op == OpIf {
		p.b.newRegions(in, 1+b2i(op == OpIf))
	}
	if op == OpLoop && p.take("(") {
		for {
			params = append(params, p.number('%'))
			p.want(":")
			p.f.AddParam(in.Regions[0], p.typ())
			p.want("=")
			in.Args = append(in.Args, p.value())
			if !p.take(",") {
				break
			}
		}
		p.want(")")
	} else if strings.HasPrefix(p.tok, "%") && !p.nl {
		in.Args = append(in.Args, p.value())
		for p.take(",") {
			in.Args = append(in.Args, p.value())
		}
	}
	literals := p.fields(in)
	if len(results) > 0 {
		p.want(":")
		for i := range results {
			if i > 0 {
				p.want(",")
			}
			p.f.AddResult(in, p.typ())
		}
	}
	if op == OpConst {
		p.constant(in, literals)
	}
	in.Loc = p.loc()
	// The builder drops instructions after a terminator. Parse keeps them, so that Verify can
	// reject them.
	r := p.b.Region()
	r.Instrs = append(r.Instrs, in)
	if label >= 0 {
		if p.labels[label] != nil {
			p.fail("^%d is already used by an enclosing loop or block", label)
		}
		p.labels[label] = in
	}
	for i, n := range params {
		p.define(n, in.Regions[0].Params[i])
	}
	for i, sub := range in.Regions {
		if i > 0 {
			p.want("else")
		}
		p.region(sub)
	}
	for _, n := range params {
		delete(p.values, n)
	}
	if label >= 0 {
		delete(p.labels, label)
	}
	for i, n := range results {
		p.define(n, in.Results[i])
	}
	return results
}

// fields consumes the parts of an instruction other than its operands, and returns a constant's
// literals.
func (p *parser) fields(in *Instr) (literals []string) {
	for {
		switch {
		case p.tok == "#":
			p.next()
			in.Imm = p.integer(64)
		case in.Op == OpConst && p.tok != ":" && p.tok != "@" && p.tok != "}" && p.tok != "":
			list := p.take("[")
			literals = append(literals, p.tok)
			p.next()
			for list && p.take(",") {
				literals = append(literals, p.tok)
				p.next()
			}
			if list {
				p.want("]")
				in.Bits = make([]uint64, len(literals))
			}
			return literals
		case p.tok == "[":
			p.next()
			in.Bits = append(in.Bits, p.unsigned(64))
			for p.take(",") {
				in.Bits = append(in.Bits, p.unsigned(64))
			}
			p.want("]")
		case p.isString():
			in.Name = p.str()
		case p.word(in):
			p.next()
		default:
			return nil
		}
	}
}

// word sets the field given by the current word, if any. A word that begins the next instruction
// gives none.
func (p *parser) word(in *Instr) bool {
	if input, ok := InputByName(p.tok); ok && in.Op == OpIn {
		in.Imm = int64(input)
		return true
	}
	if in.Op == OpTexQuery {
		for i, name := range texPropertyNames {
			if name == p.tok {
				in.Imm = int64(i)
				return true
			}
		}
	}
	if in.Op == OpCommandSet {
		for i, name := range commandOpNames {
			if name == p.tok {
				in.Imm = int64(i)
				return true
			}
		}
	}
	if in.Op == OpLogMessage && in.Imm == 0 && p.tok != "" {
		for i, name := range logLevelNames {
			if name == p.tok {
				in.Imm = int64(i)
				return true
			}
		}
	}
	if op := OpByName(p.tok); in.Op == OpTexAtomic && in.Imm == 0 && op != OpInvalid {
		in.Imm = int64(op)
		return true
	}
	for o := Acquire; o < numOrders; o++ {
		if orderNames[o] == p.tok {
			in.Order = o
			return true
		}
	}
	for i, name := range flagNames {
		if name == p.tok {
			in.Flags |= 1 << i
			return true
		}
	}
	if mem, ok := strings.CutPrefix(p.tok, "mem."); ok {
		for i, name := range memNames {
			if name == mem {
				in.Mem |= 1 << i
				return true
			}
		}
	}
	return false
}

// constant sets a Const's bits from its literals, once its type is known.
func (p *parser) constant(in *Instr, literals []string) {
	if len(in.Results) != 1 || len(literals) == 0 {
		p.fail("a constant needs one type and a value")
	}
	for i, text := range literals {
		bits, ok := parseLiteral(in.Results[0].Type.Kind, text)
		if !ok {
			p.fail("%q is not a constant of type %v", text, in.Results[0].Type.Kind)
		}
		if len(in.Bits) > 0 {
			in.Bits[i] = bits
		} else {
			in.Imm = int64(bits)
		}
	}
}

func parseLiteral(k Kind, text string) (uint64, bool) {
	w := k.Bits()
	if w == 0 {
		return 0, false
	}
	if h, ok := strings.CutPrefix(text, "0x"); ok {
		n, err := strconv.ParseUint(h, 16, w)
		return n, err == nil
	}
	switch {
	case k == I1:
		return uint64(b2i(text == "true")), text == "true" || text == "false"
	case k.IsInt():
		if n, err := strconv.ParseInt(text, 10, w); err == nil {
			return uint64(n) << (64 - w) >> (64 - w), true
		}
		n, err := strconv.ParseUint(text, 10, w)
		return n, err == nil
	}
	size := 64
	if k == F32 {
		size = 32 // not via binary64, which would round twice
	}
	f, err := strconv.ParseFloat(text, size)
	if err != nil || f != f {
		return 0, false
	}
	return FloatBits(k, f), true
}
