package mslprint

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/ir"
)

// Unsupported is the error for a kernel that has no text.
type Unsupported struct {
	Kernel string
	What   string // the operation, type or argument
	Loc    ir.Loc // zero if it has no place in the source
	File   string
}

func (u *Unsupported) Error() string {
	at := ""
	if u.Loc.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d: ", u.File, u.Loc.Line, u.Loc.Col)
	}
	return fmt.Sprintf("%skernel %q cannot be printed as Metal source: %s", at, u.Kernel, u.What)
}

// Kernel returns a program with one kernel, which does what f does. The function must be valid. If
// it uses something that cannot be printed, the error is an *Unsupported.
func Kernel(f *ir.Func) (text string, err error) {
	p := &printer{f: f, uses: map[*ir.Value]int{}, texts: map[*ir.Value]string{}, names: map[string]bool{},
		inputs: map[ir.Input]bool{}, escapes: map[*ir.Instr][]*ir.Instr{}, broken: map[*ir.Instr]bool{},
		flags: map[*ir.Instr]string{}, blobs: map[int64]bool{},
		global: map[int]string{}, samplers: map[int]string{}}
	defer func() {
		if r := recover(); r != nil {
			u, ok := r.(*Unsupported)
			if !ok {
				panic(r)
			}
			text, err = "", u
		}
	}()
	return p.program(), nil
}

type printer struct {
	f        *ir.Func
	head     strings.Builder // declarations before the kernel
	body     strings.Builder
	indent   int
	at       *ir.Instr // being printed
	names    map[string]bool
	numbers  int
	args     []string       // names of the arguments
	consts   []string       // names of the function constants
	shared   []string       // names of the threadgroup's variables
	global   map[int]string // names of the program's data
	samplers map[int]string
	uses     map[*ir.Value]int
	texts    map[*ir.Value]string // the expression for a value
	inputs   map[ir.Input]bool    // used
	blobs    map[int64]bool       // sizes for which there is a struct of bytes
	handles  []ir.Type            // textures and samplers for which there is a struct

	stack   []*ir.Instr               // the enclosing loops, and blocks that are printed as loops
	escapes map[*ir.Instr][]*ir.Instr // the targets of breaks and continues across a loop of the text
	broken  map[*ir.Instr]bool        // blocks that a break exits
	flags   map[*ir.Instr]string      // variable that says how to go on after leaving inner loops for a target
}

// unsupported ends the printing.
func (p *printer) unsupported(format string, args ...any) {
	u := &Unsupported{Kernel: p.f.Name, What: fmt.Sprintf(format, args...)}
	if p.at != nil {
		u.Loc = p.at.Loc
		if i := int(u.Loc.File) - 1; i >= 0 && p.f.Module != nil && i < len(p.f.Module.Files) {
			u.File = p.f.Module.Files[i]
		}
	}
	panic(u)
}

// line prints a line of the body.
func (p *printer) line(format string, args ...any) {
	p.body.WriteString(strings.Repeat("    ", p.indent))
	fmt.Fprintf(&p.body, format, args...)
	p.body.WriteByte('\n')
}

// name returns an unused identifier made of a name and, if need be, a number.
func (p *printer) name(like string) string {
	name := identifier(like)
	for n := 2; p.names[name] || reserved()[name]; n++ {
		name = fmt.Sprintf("%s_%d", identifier(like), n)
	}
	p.names[name] = true
	return name
}

// temp returns an identifier for a value of a type.
func (p *printer) temp(t ir.Type) string {
	p.numbers++
	letter := map[ir.Kind]string{ir.I1: "is", ir.F16: "f", ir.BF16: "f", ir.F32: "f", ir.Pointer: "p", ir.Texture: "t",
		ir.Sampler: "s", ir.Matrix: "m"}[t.Kind]
	if letter == "" {
		letter = "i"
	}
	return p.name(fmt.Sprintf("%s%d", letter, p.numbers))
}

func identifier(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
	if s == "" || s[0] >= '0' && s[0] <= '9' {
		s = "v" + s
	}
	return s
}

// reserved are identifiers that text may not declare: keywords, and names of the library that the
// text uses or that are likely macros.
var reserved = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`alignas alignof and and_eq asm auto bitand bitor bool break case catch char class
		compl const const_cast constant constexpr continue decltype default delete device do double dynamic_cast else enum
		explicit export extern false float for fragment friend goto half if inline int kernel long mutable namespace new
		noexcept not not_eq nullptr object_data operator or or_eq private protected public ray_data register
		reinterpret_cast return short signed sizeof static static_assert static_cast struct switch template this thread
		thread_local threadgroup threadgroup_imageblock throw true try typedef typeid typename uchar uint ulong union
		unsigned ushort using vertex virtual void volatile wchar_t while xor xor_eq bfloat metal main array sampler`) {
		m[w] = true
	}
	return m
})

// program prints the whole text.
func (p *printer) program() string {
	p.survey(p.f.Body, nil)
	p.indent = 1
	name := p.name(p.f.Name)
	if name != p.f.Name {
		p.unsupported("the name is not an identifier")
	}
	params := p.params()
	p.variables()
	p.region(p.f.Body)
	var out strings.Builder
	out.WriteString("#include <metal_stdlib>\nusing namespace metal;\n#pragma METAL fp math_mode(safe)\n" +
		"#pragma METAL fp contract(off)\n\n")
	out.WriteString(p.globals())
	out.WriteString(p.head.String())
	a := p.f.Attributes
	if a.MaxTotalThreads > 0 {
		fmt.Fprintf(&out, "[[max_total_threads_per_threadgroup(%d)]]\n", a.MaxTotalThreads)
	}
	if r := a.RequiredThreads; r != [3]int{} {
		fmt.Fprintf(&out, "[[required_threads_per_threadgroup(%d, %d, %d)]]\n", r[0], max(r[1], 1), max(r[2], 1))
	}
	for i := range ir.ThreadExecutionWidth + 1 {
		if p.inputs[i] {
			params = append(params, fmt.Sprintf("%s %s [[%s]]", typeName(i.Type()), i, i))
		}
	}
	fmt.Fprintf(&out, "kernel void %s(%s) {\n", name, strings.Join(params, ",\n    "))
	out.WriteString(p.body.String())
	out.WriteString("}\n")
	return out.String()
}

// survey counts the uses of values, and finds the breaks that need help to leave several loops.
func (p *printer) survey(r *ir.Region, stack []*ir.Instr) {
	// blocks become loops only if a break exits them
	r.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpBreak && in.Target.Op == ir.OpBlock {
			p.broken[in.Target] = true
		}
		return true
	})
	p.count(r, stack)
}

func (p *printer) count(r *ir.Region, stack []*ir.Instr) {
	for _, in := range r.Instrs {
		for _, a := range in.Args {
			p.uses[a]++
		}
		if in.Op == ir.OpIn {
			p.inputs[ir.Input(in.Imm)] = true
			p.names[ir.Input(in.Imm).String()] = true
		}
		if in.Op == ir.OpBreak || in.Op == ir.OpContinue {
			for i := len(stack) - 1; i >= 0 && stack[i] != in.Target; i-- {
				if !slices.Contains(p.escapes[stack[i]], in.Target) {
					p.escapes[stack[i]] = append(p.escapes[stack[i]], in.Target)
				}
			}
		}
		inner := stack
		if in.Op == ir.OpLoop || p.broken[in] {
			inner = append(slices.Clone(stack), in)
		}
		for _, sub := range in.Regions {
			p.count(sub, inner)
		}
	}
}

// params declares the arguments.
func (p *printer) params() (params []string) {
	p.constants()
	for i := range p.f.Args {
		a := &p.f.Args[i]
		name := a.Name
		if name == "" {
			name = fmt.Sprintf("%s%d", a.Kind, a.Index)
		}
		name = p.name(name)
		var typ, slot string
		switch a.Kind {
		case ir.ArgBuffer:
			space := a.Space
			if space == "" {
				space = "device"
			}
			typ, slot = space+" uchar*", "buffer"
			if space == "constant" {
				typ = "constant uchar*"
			}
		case ir.ArgThreadgroup:
			typ, slot = "threadgroup uchar*", "threadgroup"
		case ir.ArgTexture:
			t, err := ir.ParseType(a.Texture)
			if err != nil {
				p.unsupported("argument %q: %v", name, err)
			}
			typ, slot = p.typ(t), "texture"
		case ir.ArgSampler:
			typ, slot = "sampler", "sampler"
		default:
			p.unsupported("argument %q is a %s", name, a.Kind)
		}
		if a.Count > 0 {
			typ = fmt.Sprintf("array<%s, %d>", typ, a.Count)
		}
		condition := ""
		if a.Computed != "" {
			p.unsupported("argument %q depends on a constant computed from function constants", name)
		}
		if a.Condition != "" {
			condition = fmt.Sprintf(", function_constant(%s)", a.Condition)
			if !slices.ContainsFunc(p.f.Constants, func(c ir.FunctionConstant) bool { return c.Name == a.Condition }) {
				p.unsupported("argument %q depends on an unknown function constant", name)
			}
		}
		params = append(params, fmt.Sprintf("%s %s [[%s(%d)%s]]", typ, name, slot, a.Index, condition))
		p.args = append(p.args, name)
	}
	return params
}
