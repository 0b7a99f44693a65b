package ir

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// String returns the module's text, in the form that Parse reads.
func (m *Module) String() string {
	p := &printer{}
	for _, name := range m.Files {
		p.line("file %s", strconv.Quote(name))
	}
	for _, g := range m.Globals {
		p.line("global %s align %d %q", strconv.Quote(g.Name), g.Align, hex.EncodeToString(g.Data))
	}
	for _, v := range m.Visible {
		p.data("visible", v)
	}
	for _, l := range m.Logs {
		p.data("log", l)
	}
	for _, f := range m.Funcs {
		p.fn(f)
	}
	return p.b.String()
}

// String returns the entry point's text.
func (f *Func) String() string {
	p := &printer{}
	p.fn(f)
	return p.b.String()
}

type printer struct {
	b      strings.Builder
	indent int
	ids    map[*Value]int
	labels map[*Instr]int
}

func (p *printer) line(format string, args ...any) {
	p.b.WriteString(strings.Repeat("  ", p.indent))
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

// data prints a line of plain data as JSON.
func (p *printer) data(word string, v any) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // happens only for numbers not representable in JSON, which Verify rejects
		text.Reset()
		text.WriteString("{}")
	}
	p.line("%s %s", word, bytes.TrimSpace(text.Bytes()))
}

func (p *printer) fn(f *Func) {
	p.ids, p.labels = map[*Value]int{}, map[*Instr]int{}
	p.line("kernel %s%s {", strconv.Quote(f.Name), f.Pos.text())
	p.indent++
	if f.Attributes != (Attributes{}) {
		p.data("attributes", f.Attributes)
	}
	for _, a := range f.Args {
		p.data("arg", a)
	}
	for _, c := range f.Constants {
		p.data("constant", c)
	}
	for _, m := range f.Threadgroup {
		p.data("threadgroup", m)
	}
	for _, s := range f.Samplers {
		p.data("sampler", s)
	}
	for _, in := range f.Inlined {
		p.line("inlined %s%s", strconv.Quote(in.Func), in.At.text())
	}
	p.line("body {")
	if f.Body != nil {
		p.region(f.Body)
	}
	p.line("}")
	p.indent--
	p.line("}")
}

func (p *printer) region(r *Region) {
	p.indent++
	for _, in := range r.Instrs {
		p.instr(in)
	}
	p.indent--
}

// use returns the name of a defined value.
func (p *printer) use(v *Value) string {
	if id, ok := p.ids[v]; ok {
		return "%" + strconv.Itoa(id)
	}
	return "%?"
}

// def assigns the next number to a value.
func (p *printer) def(v *Value) string {
	p.ids[v] = len(p.ids)
	return "%" + strconv.Itoa(p.ids[v])
}

func (p *printer) instr(in *Instr) {
	b := &p.b
	b.WriteString(strings.Repeat("  ", p.indent))
	var params []string
	if in.Op == OpLoop {
		params = p.params(in)
	}
	// The results of an instruction with regions are numbered before the values inside.
	for i, v := range in.Results {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.def(v))
	}
	if len(in.Results) > 0 {
		b.WriteString(" = ")
	}
	b.WriteString(in.Op.String())
	switch in.Op {
	case OpLoop, OpBlock:
		p.labels[in] = len(p.labels)
		fmt.Fprintf(b, " ^%d", p.labels[in])
	case OpBreak, OpContinue:
		if l, ok := p.labels[in.Target]; ok {
			fmt.Fprintf(b, " ^%d", l)
		} else {
			b.WriteString(" ^?")
		}
	}
	if in.Op == OpLoop {
		if len(params) > 0 {
			b.WriteString(" (" + strings.Join(params, ", ") + ")")
		}
	} else {
		for i, v := range in.Args {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(" " + p.use(v))
		}
	}
	p.fields(in)
	for i, v := range in.Results {
		if i == 0 {
			b.WriteString(" : ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(v.Type.String())
	}
	b.WriteString(in.Loc.text())
	for i, r := range in.Regions {
		switch i {
		case 0:
			b.WriteString(" {\n")
		default:
			p.line("} else {")
		}
		p.region(r)
	}
	if len(in.Regions) > 0 {
		b.WriteString(strings.Repeat("  ", p.indent) + "}")
	}
	b.WriteByte('\n')
}

// params formats a loop's parameters with their initial values.
func (p *printer) params(in *Instr) (out []string) {
	if len(in.Regions) == 0 {
		return nil
	}
	uses := make([]string, len(in.Args))
	for i, v := range in.Args {
		uses[i] = p.use(v)
	}
	for i, v := range in.Regions[0].Params {
		from := "%?"
		if i < len(uses) {
			from = uses[i]
		}
		out = append(out, fmt.Sprintf("%s : %v = %s", p.def(v), v.Type, from))
	}
	return out
}

// fields prints the parts of an instruction other than its operands: constants, order, memory,
// flags, name.
func (p *printer) fields(in *Instr) {
	b := &p.b
	switch {
	case in.Op == OpConst:
		b.WriteByte(' ')
		t := TVoid
		if v := in.Result(); v != nil {
			t = v.Type
		}
		if len(in.Bits) == 0 {
			b.WriteString(literal(t.Kind, uint64(in.Imm)))
			break
		}
		for i, bits := range in.Bits {
			b.WriteString([]string{", ", "["}[b2i(i == 0)] + literal(t.Kind, bits))
		}
		b.WriteByte(']')
	case in.Op == OpIn && uint64(in.Imm) < uint64(numInputs):
		b.WriteString(" " + Input(in.Imm).String())
	case in.Op == OpTexQuery && uint64(in.Imm) < uint64(numTexProperties):
		b.WriteString(" " + TexProperty(in.Imm).String())
	case in.Op == OpCommandSet && uint64(in.Imm) < uint64(numCommandOps):
		b.WriteString(" " + CommandOp(in.Imm).String())
	case in.Op == OpLogMessage && in.Imm > 0 && in.Imm < int64(numLogLevels):
		b.WriteString(" " + LogLevel(in.Imm).String())
	case in.Op == OpTexAtomic && uint64(in.Imm) < uint64(numOps):
		b.WriteString(" " + Op(in.Imm).String())
	default:
		if in.Imm != 0 {
			fmt.Fprintf(b, " #%d", in.Imm)
		}
		for i, bits := range in.Bits {
			fmt.Fprintf(b, "%s%d", []string{", ", " ["}[b2i(i == 0)], bits)
		}
		if len(in.Bits) > 0 {
			b.WriteByte(']')
		}
	}
	if in.Order != Relaxed {
		b.WriteString(" " + in.Order.String())
	}
	for i, name := range memNames {
		if in.Mem&(1<<i) != 0 {
			b.WriteString(" mem." + name)
		}
	}
	for i, name := range flagNames {
		if in.Flags&(1<<i) != 0 {
			b.WriteString(" " + name)
		}
	}
	if in.Name != "" {
		b.WriteString(" " + strconv.Quote(in.Name))
	}
}

var (
	memNames  = [...]string{"device", "threadgroup", "texture", "imageblock", "object_data"}
	flagNames = [...]string{"fast", "transposed", "volatile"}
)

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// literal prints the bits of a number or truth value of kind k.
func literal(k Kind, bits uint64) string {
	w := k.Bits()
	if w == 0 || w < 64 && bits>>w != 0 {
		return fmt.Sprintf("0x%x", bits) // Verify rejects this
	}
	switch {
	case k == I1:
		return strconv.FormatBool(bits != 0)
	case k.IsInt():
		return strconv.FormatInt(int64(bits<<(64-w))>>(64-w), 10)
	}
	switch f := BitsFloat(k, bits); {
	case math.IsNaN(f):
		return fmt.Sprintf("0x%x", bits)
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	default:
		return strconv.FormatFloat(f, 'g', -1, 32)
	}
}

// text formats a location with a leading space; for an unknown location it returns "".
func (l Loc) text() string {
	if l == (Loc{}) {
		return ""
	}
	s := fmt.Sprintf(" @%d:%d:%d", l.File, l.Line, l.Col)
	if l.Scope != 0 {
		s += fmt.Sprintf("~%d", l.Scope)
	}
	return s
}
