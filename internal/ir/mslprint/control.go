package mslprint

import (
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
)

// region prints the instructions of a region.
func (p *printer) region(r *ir.Region) {
	for _, in := range r.Instrs {
		p.at = in
		switch in.Op {
		case ir.OpIf:
			p.branch(in)
		case ir.OpLoop, ir.OpBlock:
			p.loop(in)
		case ir.OpYield:
			p.assign(r.Owner.Results, in.Args)
		case ir.OpBreak:
			p.assign(in.Target.Results, in.Args)
			p.leave(in, 1)
		case ir.OpContinue:
			p.assign(in.Target.Regions[0].Params, in.Args)
			if r.Owner != in.Target { // otherwise the end of the loop's body
				p.leave(in, 2)
			}
		case ir.OpReturn, ir.OpUnreachable:
			if r.Owner != nil {
				p.line("return;")
			}
		default:
			p.instr(in)
		}
	}
}

// declare declares variables for results that are used.
func (p *printer) declare(vs []*ir.Value) {
	for _, v := range vs {
		if p.uses[v] == 0 {
			continue
		}
		name := p.temp(v.Type)
		p.texts[v] = name
		p.line("%s %s;", p.typ(v.Type), name)
	}
}

// assign assigns to variables as if all at once.
func (p *printer) assign(to, from []*ir.Value) {
	var names, values []string
	for i, v := range from {
		if name, value := p.texts[to[i]], bare(p.value(v)); name != "" && name != value {
			names, values = append(names, name), append(values, value)
		}
	}
	for i, name := range names {
		for j := i + 1; j < len(values); j++ {
			if mentions(values[j], name) {
				copied := p.name("next")
				p.line("const auto %s = %s;", copied, values[j])
				values[j] = copied
			}
		}
	}
	for i, name := range names {
		p.line("%s = %s;", name, values[i])
	}
}

// mentions reports whether a text contains an identifier.
func mentions(text, name string) bool {
	for {
		i := strings.Index(text, name)
		if i < 0 {
			return false
		}
		end := i + len(name)
		if (i == 0 || !wordChar(text[i-1])) && (end == len(text) || !wordChar(text[end])) {
			return true
		}
		text = text[end:]
	}
}

func wordChar(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (p *printer) branch(in *ir.Instr) {
	p.declare(in.Results)
	cond, then, other := p.value(in.Args[0]), in.Regions[0], in.Regions[1]
	if nothing(then) && !nothing(other) {
		p.line("if (!%s) {", cond)
		then = other
	} else {
		p.line("if (%s) {", bare(cond))
	}
	p.inside(then)
	if then != other && !nothing(other) {
		p.line("} else {")
		p.inside(other)
	}
	p.line("}")
}

// nothing reports whether a region has no text.
func nothing(r *ir.Region) bool {
	return len(r.Instrs) == 1 && r.Instrs[0].Op == ir.OpYield && len(r.Instrs[0].Args) == 0
}

func (p *printer) inside(r *ir.Region) {
	p.indent++
	p.region(r)
	p.indent--
}

// loop prints a loop, or a block.
func (p *printer) loop(in *ir.Instr) {
	p.declare(in.Results)
	region := in.Regions[0]
	if in.Op == ir.OpBlock && !p.broken[in] {
		p.line("{")
		p.inside(region)
		p.line("}")
		return
	}
	if in.Op == ir.OpLoop {
		for i, v := range region.Params {
			name := p.temp(v.Type)
			p.line("%s %s = %s;", p.typ(v.Type), name, bare(p.value(in.Args[i])))
			p.texts[v] = name
		}
	}
	for _, targets := range p.escapes {
		if slices.Contains(targets, in) {
			p.flags[in] = p.name("next")
			p.line("uint %s = 0;", p.flags[in])
			break
		}
	}
	p.stack = append(p.stack, in)
	if in.Op == ir.OpLoop {
		switch {
		case in.Imm == -1:
			p.line("#pragma unroll")
		case in.Imm > 0:
			p.line("#pragma unroll(%d)", in.Imm)
		}
		p.line("while (true) {")
		p.inside(region)
		p.line("}")
	} else {
		p.line("do {")
		p.inside(region)
		p.line("} while (false);")
	}
	p.stack = p.stack[:len(p.stack)-1]
	p.goOn(in)
}

// leave prints a break (1) or continue (2).
func (p *printer) leave(in *ir.Instr, how int) {
	if p.stack[len(p.stack)-1] != in.Target {
		p.line("%s = %d;", p.flags[in.Target], how)
		how = 1
	}
	p.line("%s;", []string{"break", "continue"}[how-1])
}

// goOn prints what follows a loop that breaks and continues of outer loops leave first.
func (p *printer) goOn(in *ir.Instr) {
	for _, target := range p.escapes[in] {
		flag := p.flags[target]
		if p.stack[len(p.stack)-1] != target {
			p.line("if (%s != 0) break;", flag)
			continue
		}
		p.line("if (%s == 1) break;", flag)
		if target.Op == ir.OpLoop {
			p.line("if (%s == 2) {", flag)
			p.line("    %s = 0;", flag)
			p.line("    continue;")
			p.line("}")
		}
	}
}

// variables declares the thread's and the threadgroup's variables.
func (p *printer) variables() {
	for _, m := range p.f.Threadgroup {
		name := m.Name
		if name == "" {
			name = "shared"
		}
		name = p.name(name)
		p.shared = append(p.shared, name)
		p.line("alignas(16) threadgroup uchar %s[%d];", name, max(1, m.Size))
	}
	p.f.Body.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpAlloca {
			name := in.Name
			if name == "" {
				name = "var"
			}
			name = p.name(name)
			p.line("alignas(16) uchar %s[%d] = {};", name, max(1, in.Imm))
			p.texts[in.Result()] = name
		}
		return true
	})
}
