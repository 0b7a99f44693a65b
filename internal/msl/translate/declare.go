package translate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// snapshot is what a dialect changes in a tree, as it was before.
type snapshot struct {
	spaces map[*ast.PointerType]ast.AddrSpace
	params map[*ast.Param]ast.Param
	groups map[*ast.FuncDecl][3]int
}

func (s *snapshot) take(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.PointerType:
			s.spaces[n] = spaceOf(n.Elem)
		case *ast.Param:
			s.params[n] = *n
		case *ast.FuncDecl:
			s.groups[n] = groupOf(n)
		}
		return true
	})
}

func spaceOf(t ast.TypeExpr) ast.AddrSpace {
	if q, ok := t.(*ast.QualType); ok {
		return q.Space
	}
	return ast.NoSpace
}

// value is a parameter by value: its name in the source and in the text.
type value struct{ name, as string }

// visit edits a node of the adapted tree. Those around it come first.
func (p *program) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncDecl:
		p.funcDecl(n)
	case *ast.PointerType:
		p.pointer(n)
	case *ast.ConstructExpr:
		p.vectorLiteral(n)
	case *ast.CallExpr:
		p.call(n)
	case *ast.MemberExpr:
		p.member(n)
	case *ast.SizeofExpr:
		p.sizeof(n)
	}
	if x, ok := n.(ast.Expr); ok {
		if name, ok := p.trace.Record.Call(n); ok && p.first(n) >= 0 {
			p.libraryCall(x, name)
		}
	}
	return true
}

// words edits keywords that Metal spells otherwise, names that it reserves, and attributes that it
// does not know.
func (p *program) words() {
	for i, t := range p.list {
		metal := token.Keyword(t.Text)
		switch {
		case t.Kind == token.KwAttribute:
			p.attribute(i)
		case t.Kind == token.Ident && metal != token.Ident:
			p.replace(i, p.rename(t.Text))
		case t.Kind == token.KwRestrict && metal != t.Kind:
			p.replace(i, "__restrict")
		case t.Kind.IsKeyword() && metal != t.Kind:
			p.replace(i, t.Kind.String())
		}
	}
}

// rename returns the name that takes the place of one that Metal reserves.
func (p *program) rename(name string) string {
	if p.renamed[name] == "" {
		p.renamed[name] = p.fresh(name + "_")
	}
	return p.renamed[name]
}

// dropped are attributes that say nothing in Metal.
var dropped = []string{"reqd_work_group_size", "work_group_size_hint", "vec_type_hint", "opencl_unroll_hint", "nosvm",
	"intel_reqd_sub_group_size", "endian", "work_group_size"}

// attribute removes __attribute__((...)) if Metal has none of what it lists.
func (p *program) attribute(i int) {
	if i+2 >= len(p.list) || p.list[i+1].Kind != token.LParen {
		return
	}
	end := p.closing(i + 1)
	for k := i + 3; k < end-1; k++ {
		name := strings.Trim(p.list[k].Text, "_")
		if p.list[k].Kind == token.Ident && !slices.Contains(dropped, name) {
			return
		}
		if p.list[k+1].Kind == token.LParen {
			k = p.closing(k + 1)
		}
	}
	for k := i; k <= end; k++ {
		p.replace(k, "")
		p.edit(k).tight = true
	}
}

// groupOf returns the work-items of a work-group that a kernel requires.
func groupOf(f *ast.FuncDecl) (group [3]int) {
	a := ast.FindAttr("reqd_work_group_size", f.Attrs)
	if a == nil {
		a = ast.FindAttr("__reqd_work_group_size__", f.Attrs)
	}
	if a == nil || len(a.Args) != 3 {
		return group
	}
	for i, x := range a.Args {
		n, ok := constant(x)
		if !ok || n < 1 || n > 1<<20 {
			return [3]int{}
		}
		group[i] = n
	}
	return group
}

// constant returns the value of a plain constant expression.
func constant(x ast.Expr) (int, bool) {
	switch x := x.(type) {
	case *ast.IntLit:
		n, err := strconv.ParseInt(strings.TrimRight(x.Text, "uUlL"), 0, 32)
		return int(n), err == nil
	case *ast.ParenExpr:
		return constant(x.X)
	case *ast.BinaryExpr:
		a, ok1 := constant(x.X)
		b, ok2 := constant(x.Y)
		switch {
		case !ok1 || !ok2:
		case x.Op == token.Star:
			return a * b, true
		case x.Op == token.Plus:
			return a + b, true
		case x.Op == token.Minus:
			return a - b, true
		case x.Op == token.Slash && b != 0:
			return a / b, true
		}
	}
	return 0, false
}

// funcDecl edits the parameters of a function.
func (p *program) funcDecl(f *ast.FuncDecl) {
	name := p.last(f.Name)
	if name < 0 {
		return
	}
	kernel := ""
	if f.Spec.Stage == ast.Kernel {
		kernel = "kernel"
		p.kernel(f)
	}
	p.handDown(p.tokens, f.Name.Last().Ident, name+1, true, kernel)
}

// kernel gives the parameters of a kernel their places.
func (p *program) kernel(f *ast.FuncDecl) {
	if g := p.snapshot.groups[f]; g[0] > 0 && g[0]*g[1]*g[2] <= ir.MaxThreads {
		p.around(p.first(f), p.last(f), fmt.Sprintf("[[max_total_threads_per_threadgroup(%d)]] ", g[0]*g[1]*g[2]), "")
	}
	next := map[string]int{}
	var copies strings.Builder
	for _, a := range f.Params {
		at := p.last(a)
		if at < 0 {
			continue
		}
		kind := "buffer"
		switch t := a.Type.(type) {
		case *ast.ReferenceType:
			if _, was := p.snapshot.params[a].Type.(*ast.ReferenceType); !was {
				copies.WriteString(p.byValue(f, a))
			}
		case *ast.PointerType:
			if spaceOf(t.Elem) == ast.Threadgroup {
				kind = "threadgroup"
			}
		default:
			kind = "texture"
			if named := namedType(a.Type); strings.HasPrefix(named, "sampler") {
				kind = "sampler"
			}
		}
		p.around(p.first(a), at, "", fmt.Sprintf(" [[%s(%d)]]", kind, next[kind]))
		next[kind]++
	}
	if f.Body != nil && copies.Len() > 0 {
		p.after(p.first(f.Body), copies.String())
	}
}

func namedType(t ast.TypeExpr) string {
	if q, ok := t.(*ast.QualType); ok {
		t = q.Elem
	}
	if n, ok := t.(*ast.NamedType); ok {
		return n.Name.Last().Ident
	}
	return ""
}

// byValue makes a parameter a reference to constant memory. It returns the declaration of a copy if
// the kernel does more than read it.
func (p *program) byValue(f *ast.FuncDecl, a *ast.Param) string {
	was := p.snapshot.params[a]
	first, ident := p.first(&was), p.last(&was)+1
	if was.Ident != nil {
		ident = p.first(was.Ident)
	}
	var typ []string
	for i := first; i < ident; i++ {
		switch p.list[i].Kind {
		case token.KwThread:
			p.replace(i, "")
		case token.KwConst, token.KwVolatile:
		default:
			typ = append(typ, p.want(i))
		}
	}
	p.around(first, max(first, ident-1), "constant ", "")
	if was.Ident == nil {
		p.after(ident-1, " &")
		return ""
	}
	p.before(ident, "&")
	name := was.Ident.Name
	v := value{name: name, as: p.named(name)}
	defer func() { p.values[a] = v }()
	if f.Body == nil || !writes(f.Body, name) {
		return ""
	}
	v.as = p.fresh(name + "_in")
	p.replace(ident, v.as)
	return fmt.Sprintf(" %s %s = %s;", strings.Join(typ, " "), p.named(name), v.as)
}

// writes reports whether a body may change a variable, or need its address.
func writes(body ast.Node, name string) (found bool) {
	root := func(x ast.Expr) bool {
		for {
			switch y := x.(type) {
			case *ast.ParenExpr:
				x = y.X
			case *ast.MemberExpr:
				x = y.X
			case *ast.IndexExpr:
				x = y.X
			case *ast.NameExpr:
				return y.Name.Simple() == name
			default:
				return false
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignExpr:
			found = found || root(n.X)
		case *ast.UnaryExpr:
			changes := n.Op == token.Amp || n.Op == token.PlusPlus || n.Op == token.MinusMinus
			found = found || changes && root(n.X)
		case *ast.PostfixExpr:
			found = found || root(n.X)
		case *ast.MemberExpr: // an array in it may be used by its address
			found = found || root(n.X) && len(n.Name.Last().Ident) > 1
		}
		return !found
	})
	return found
}

// pointer writes the address space that a pointer has by the rules of the language.
func (p *program) pointer(t *ast.PointerType) {
	was, known := p.snapshot.spaces[t]
	space := spaceOf(t.Elem)
	if !known || was != ast.NoSpace || space == ast.NoSpace {
		return
	}
	elem := t.Elem.(*ast.QualType).Elem
	if inner, ok := elem.(*ast.PointerType); ok {
		if i := p.last(inner); i >= 0 {
			p.after(i, " "+space.String()+" ")
		}
		return
	}
	if i := p.first(t.Elem); i >= 0 && !p.once[i] {
		p.once[i] = true
		p.around(i, max(i, p.last(elem)), space.String()+" ", "")
	}
}

// vectorLiteral writes (float4)(a, b) as float4(a, b).
func (p *program) vectorLiteral(x *ast.ConstructExpr) {
	open := p.first(x)
	if open < 0 || p.list[open].Kind != token.LParen {
		return
	}
	p.replace(open, "")
	end := p.closing(open)
	p.replace(end, "")
	p.edit(end).tight = true
}

// leaveOut replaces the functions that are refused by comments.
func (p *program) leaveOut() {
	for _, d := range p.trace.Left {
		first, last := p.first(d), p.last(d)
		if first < 0 || last < first {
			continue
		}
		from, to := p.list[first].Pos, p.list[last].End()
		whole := from > 0 && to > from && p.files.File(from).Contains(to)
		for i := first; i <= last; i++ {
			p.replace(i, "")
			if whole {
				p.cut[i] = true
			}
		}
		if whole {
			p.cuts = append(p.cuts, cut{from, to, fmt.Sprintf("// %s is refused.", d.(*ast.FuncDecl).Name.Simple())})
		}
	}
}

// argument describes an argument of a kernel.
func (p *program) argument(a *ast.Param, compiled ir.Arg) Arg {
	was := p.snapshot.params[a]
	x := Arg{As: compiled.Name, Index: compiled.Index, Type: compiled.Type, Kind: "buffer"}
	if was.Ident != nil {
		x.Name = was.Ident.Name
	}
	if v, ok := p.values[a]; ok {
		x.Kind, x.As = "value", v.as
	}
	switch compiled.Kind {
	case ir.ArgThreadgroup:
		x.Kind = "threadgroup"
	case ir.ArgTexture:
		x.Kind = "texture"
	case ir.ArgSampler:
		x.Kind = "sampler"
	}
	return x
}
