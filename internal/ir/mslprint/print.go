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
func Kernel(f *ir.Func) (string, error) { return Program([]*ir.Func{f}) }

// Program returns a program with kernels of one module, in that order. It is as Kernel otherwise.
func Program(fs []*ir.Func) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			u, ok := r.(*Unsupported)
			if !ok {
				panic(r)
			}
			text, err = "", u
		}
	}()
	x := &file{names: map[string]bool{}, blobs: map[int64]bool{}, global: map[int]string{},
		samplers: map[ir.SamplerState]string{}, declared: map[string]bool{}}
	for _, f := range fs {
		x.names[f.Name] = true
	}
	var kernels strings.Builder
	for _, f := range fs {
		p := &printer{file: x, f: f, uses: map[*ir.Value]int{}, texts: map[*ir.Value]string{}, own: map[string]bool{},
			inputs: map[ir.Input]bool{}, escapes: map[*ir.Instr][]*ir.Instr{}, broken: map[*ir.Instr]bool{},
			flags: map[*ir.Instr]string{}}
		kernels.WriteString(p.kernel())
	}
	text = "#include <metal_stdlib>\nusing namespace metal;\n#pragma METAL fp math_mode(safe)\n" +
		"#pragma METAL fp contract(off)\n\n"
	if len(fs) > 0 {
		text += x.globals(fs[0].Module)
	}
	return text + x.head.String() + kernels.String(), nil
}

// file is what the kernels of a program share.
type file struct {
	head     strings.Builder            // declarations before the kernels
	names    map[string]bool            // in use at the level of the file
	global   map[int]string             // names of the program's data
	samplers map[ir.SamplerState]string // names of samplers
	declared map[string]bool            // function constants
	blobs    map[int64]bool             // sizes for which there is a struct of bytes
	handles  []ir.Type                  // textures and samplers for which there is a struct
	active   string                     // the function for barriers of active threads, if there is one
}

// name returns an unused identifier of the file.
func (x *file) name(like string) string { return unused(like, x.names) }

type printer struct {
	*file
	f       *ir.Func
	body    strings.Builder
	indent  int
	at      *ir.Instr       // being printed
	own     map[string]bool // names in use in the kernel
	numbers int
	args    []string // names of the arguments
	consts  []string // names of the function constants
	shared  []string // names of the threadgroup's variables
	uses    map[*ir.Value]int
	texts   map[*ir.Value]string // the expression for a value
	inputs  map[ir.Input]bool    // used

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

// name returns an unused identifier of the kernel, made of a name and, if need be, a number.
func (p *printer) name(like string) string { return unused(like, p.own, p.names) }

// unused returns an identifier that is in none of the sets, and adds it to the first.
func unused(like string, sets ...map[string]bool) string {
	name := identifier(like)
	taken := func() bool {
		for _, set := range sets {
			if set[name] {
				return true
			}
		}
		return reserved()[name]
	}
	for n := 2; taken(); n++ {
		name = fmt.Sprintf("%s_%d", identifier(like), n)
	}
	sets[0][name] = true
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

// kernel prints the kernel.
func (p *printer) kernel() string {
	p.survey(p.f.Body, nil)
	p.indent = 1
	if name := p.f.Name; identifier(name) != name || reserved()[name] {
		p.unsupported("the name is not an identifier")
	}
	params := p.params()
	p.variables()
	p.region(p.f.Body)
	var out strings.Builder
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
	fmt.Fprintf(&out, "kernel void %s(%s) {\n", p.f.Name, strings.Join(params, ",\n    "))
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
			p.own[ir.Input(in.Imm).String()] = true
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
		used := name // in the body
		switch a.Kind {
		case ir.ArgBuffer:
			space := a.Space
			if space == "" {
				space = "device"
			}
			typ, slot = space+" uchar*", "buffer"
			if t := p.pointee(a); t != "" {
				typ = space + " " + t + "*"
				address := name
				if a.Reference {
					typ, address = space+" "+t+"&", "&"+name
				}
				bytes := p.name(name + "_at")
				p.line("%s uchar* %s = (%[1]s uchar*)%[3]s;", space, bytes, address)
				used = bytes
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
		p.args = append(p.args, used)
	}
	return params
}

// pointee returns the type that a buffer is declared with, which reflection shows: the kernel's own
// if the language has it without a declaration, bytes of the same number and alignment if not, and
// "" for single bytes.
func (p *printer) pointee(a *ir.Arg) string {
	if a.Size == 0 || a.Size == 1 && a.Type != "char" {
		return ""
	}
	if _, ok := scalars()[strings.TrimRight(strings.TrimPrefix(a.Type, "packed_"), "234")]; ok || strings.HasPrefix(a.Type,
		"atomic_") {
		return a.Type
	}
	name := fmt.Sprintf("object%d_%d", a.Size, max(a.Align, 1))
	if !p.declared[name] {
		p.declared[name] = true
		fmt.Fprintf(&p.head, "struct alignas(%d) %s { uchar at[%d]; };\n", max(a.Align, 1), name, a.Size)
	}
	return name
}

// scalars are the types of numbers in the language.
var scalars = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for _, list := range [][]string{kindNames[:], signedNames[:]} {
		for _, name := range list {
			if name != "" {
				m[name] = true
			}
		}
	}
	return m
})
