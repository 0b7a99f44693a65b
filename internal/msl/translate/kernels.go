package translate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
)

// Kernels of a program with code for the host: the names and instances of those that are templates.

// specialKernel makes a kernel of its own of one that is an explicit specialization: what the host
// gives to it may be other than what it gives to its template.
func (p *program) specialKernel(f *ast.FuncDecl, first int) {
	list := p.device.kernels[namePos(f)]
	name := p.first(f.Name.Last())
	if !p.specialization(namePos(f)) || len(list) != 1 || name < 0 || p.list[first].Kind != token.KwTemplate {
		return
	}
	for i := first; i < first+3; i++ { // template <>
		p.remove(i)
	}
	p.replace(name, p.kernelName(list[0]))
	for i := name + 1; i < len(p.list) && i <= p.last(f.Name); i++ {
		p.replace(i, "")
		p.edit(i).tight = true
	}
}

// nameTemplates gives the kernel templates of one name names of their own, but for the first:
// instances are named by it.
func (p *program) nameTemplates() {
	d := p.device
	d.templates = map[diag.Pos]string{}
	first := map[string]diag.Pos{}
	for _, at := range slices.Sorted(maps.Keys(d.kernels)) {
		name, _, template := strings.Cut(qualifiedName(d.kernels[at][0]), "<")
		if !template || p.specialization(at) {
			continue
		}
		if _, ok := first[name]; ok {
			d.templates[at] = p.fresh(p.named(name[strings.LastIndex(name, ":")+1:]) + "_2")
		} else {
			first[name] = at
		}
	}
}

// kernelTemplate returns the name of the text for a kernel template that is not the first of its
// name, or "".
func (p *program) kernelTemplate(f *ast.FuncDecl) string {
	d := p.device
	if d == nil || len(d.templates) == 0 {
		return ""
	}
	if as := d.templates[namePos(f)]; as != "" || f.Body != nil {
		return as
	}
	list := map[string]bool{} // of definitions that a prototype may be of
	for _, x := range p.trace.Record.Instances {
		if functionKey(x.Decl) == functionKey(f) && len(d.kernels[namePos(x.Decl)]) > 0 {
			list[d.templates[namePos(x.Decl)]] = true
		}
	}
	if len(list) > 1 {
		p.unwritten = fmt.Errorf("%v: a prototype that may be of several templates", p.files.Position(f.Pos()))
	}
	for as := range list {
		return as
	}
	return ""
}

// instances writes the instances of a kernel that is a template.
func (p *program) instances(f *ast.FuncDecl) {
	if f.Spec.Stage != ast.Kernel || f.Body == nil || p.specialization(namePos(f)) {
		return
	}
	for _, k := range p.device.kernels[namePos(f)] {
		if !strings.Contains(k.HostName, "<") {
			continue
		}
		name := p.plain(qualifiedName(k))
		if base, args, ok := strings.Cut(name, "<"); ok { // names that Metal reserves
			parts := strings.Split(base, "::")
			for i := range parts {
				parts[i] = p.named(parts[i])
			}
			if as := p.kernelTemplate(f); as != "" {
				parts[len(parts)-1] = as
			}
			name = strings.Join(parts, "::") + "<" + args
		}
		p.device.tail = append(p.device.tail, fmt.Sprintf("template [[host_name(\"%s\")]] kernel decltype(%s) %s;",
			p.kernelName(k), name, name))
	}
}

// qualifiedName returns the name of a kernel with its namespaces and template arguments.
func qualifiedName(k *typed.Kernel) string {
	name, _, _ := strings.Cut(k.Func.Linkage, "(")
	return name
}

// kernelName returns the name of a kernel in the text.
func (p *program) kernelName(k *typed.Kernel) string {
	if as, ok := p.kernelNames[k]; ok {
		return as
	}
	as := p.named(k.HostName)
	if name, _, ok := strings.Cut(k.HostName, "("); ok {
		as = p.fresh(p.named(name) + "_2")
	}
	if strings.Contains(k.HostName, "<") {
		as = strings.Trim(strings.Join(strings.FieldsFunc(qualifiedName(k), func(c rune) bool {
			return c > 0x7f || !word(byte(c))
		}), "_"), "_")
		as = p.fresh(strings.ReplaceAll(as, "cuda_", ""))
	}
	p.kernelNames[k] = as
	return as
}

// explicit edits an explicit instantiation of the source, for which the text has its own.
func (p *program) explicit(n *ast.ExplicitInstantiation) {
	first, last := p.first(n), p.last(n)
	if first >= 0 && last >= first && p.list[first].Kind == token.KwTemplate {
		p.drop(first, p.withSemi(last), "")
	}
}

// describeDevice describes the kernels of a program with code for the host.
func (p *program) describeDevice(files *diag.FileSet, r *Result) {
	var list []*typed.Kernel
	decls := map[diag.Pos]*ast.FuncDecl{}
	for _, x := range p.trace.Record.Instances {
		decls[namePos(x.Decl)] = x.Decl
	}
	list = append(list, p.trace.Record.Program.Kernels...)
	slices.SortStableFunc(list, func(a, b *typed.Kernel) int { return cmp.Compare(a.Func.Pos, b.Func.Pos) })
	for _, k := range list {
		f := decls[k.Func.Pos]
		compiled := r.Module.Kernel(p.kernelName(k))
		if f == nil || compiled == nil {
			continue
		}
		x := Kernel{Name: strings.ReplaceAll(k.HostName, ", ", ","), As: compiled.Name, direct: k.HostName,
			Args: []Arg{}}
		at := files.Position(f.Name.Pos())
		x.File, x.Line = at.File, at.Line
		var hosts []*typed.Arg
		for _, a := range k.Args {
			if a.Host {
				hosts = append(hosts, a)
			}
		}
		i := 0
		for _, a := range compiled.Args {
			switch {
			case !slices.Contains([]ir.ArgKind{ir.ArgBuffer, ir.ArgThreadgroup, ir.ArgTexture, ir.ArgSampler}, a.Kind):
				continue
			case i < len(f.Params):
				x.Args = append(x.Args, p.argument(f.Params[i], a))
			default:
				arg := p.argument(nil, a)
				for _, h := range hosts {
					if place(h.Kind) == arg.Kind && h.Index == a.Index {
						arg.Name = cmp.Or(h.Name, h.Var.Name)
					}
				}
				x.Args = append(x.Args, arg)
			}
			i++
		}
		r.Kernels = append(r.Kernels, x)
	}
}

// bound is the attribute for __launch_bounds__.
func (p *program) bound(f *ast.FuncDecl) string {
	a := ast.FindAttr("max_total_threads_per_threadgroup", f.Attrs)
	if a == nil || len(a.Args) == 0 {
		return ""
	}
	first, last := p.first(a.Args[0]), p.last(a.Args[0])
	if first < 0 || last < first {
		return ""
	}
	text := ""
	for i := first; i <= last; i++ {
		text += p.list[i].Text + " "
	}
	text = strings.TrimSpace(text)
	if n, ok := constant(a.Args[0]); ok {
		text = strconv.Itoa(n)
	}
	return fmt.Sprintf("[[max_total_threads_per_threadgroup(%s)]] ", text)
}
