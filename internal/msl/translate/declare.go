package translate

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// snapshot is what a dialect changes in a tree, as it was before.
type snapshot struct {
	spaces  map[ast.TypeExpr]ast.AddrSpace
	vars    map[*ast.VarDecl]ast.AddrSpace
	params  map[*ast.Param]ast.Param
	groups  map[*ast.FuncDecl][3]int
	results map[diag.Pos]ast.TypeExpr // by the position of the function's name
	members map[diag.Pos][]*ast.Param // of functions, which those that are defined elsewhere lose
}

func newSnapshot() snapshot {
	return snapshot{spaces: map[ast.TypeExpr]ast.AddrSpace{}, vars: map[*ast.VarDecl]ast.AddrSpace{},
		params: map[*ast.Param]ast.Param{}, groups: map[*ast.FuncDecl][3]int{}, results: map[diag.Pos]ast.TypeExpr{},
		members: map[diag.Pos][]*ast.Param{}}
}

func (s *snapshot) take(f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.PointerType:
			s.spaces[n] = spaceOf(n.Elem)
		case *ast.ReferenceType:
			s.spaces[n] = spaceOf(n.Elem)
		case *ast.ArrayType:
			s.spaces[n] = spaceOf(n.Elem)
		case *ast.VarDecl:
			s.vars[n] = memorySpace(n.Type)
		case *ast.Param:
			s.params[n] = *n
		case *ast.FuncDecl:
			s.groups[n] = groupOf(n)
			if n.Name != nil {
				s.results[namePos(n)], s.members[namePos(n)] = n.Result, n.Params
			}
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
		if p.device != nil {
			p.deviceFunc(n)
			return false
		}
		p.funcDecl(n)
	case *ast.TemplateDecl:
		if f, ok := ast.Templated(n).(*ast.FuncDecl); ok && p.device != nil {
			p.deviceFunc(f)
			return false
		}
	case *ast.ExplicitInstantiation:
		if p.device != nil {
			p.explicit(n)
			return false
		}
	case *ast.DeclStmt:
		if p.device != nil {
			p.split(n.Decls)
		}
	case *ast.RecordDecl:
		if p.device != nil {
			p.split(n.Members)
		}
	case *ast.NamespaceDecl:
		return p.device == nil || !p.cut[max(p.first(n), 0)]
	case *ast.VarDecl:
		if p.device != nil {
			p.deviceVar(n)
		}
		p.sampler(n)
		p.makesVar(n)
	case *ast.Param:
		p.image(n)
	case *ast.PointerType:
		p.pointer(n, n.Elem)
	case *ast.ReferenceType:
		if p.device != nil {
			p.pointer(n, n.Elem)
		}
	case *ast.ArrayType:
		if p.device != nil {
			p.pointer(n, n.Elem)
		}
	case *ast.ConstructExpr:
		p.vectorLiteral(n)
		p.makes(p.madeClass(n), n.Args)
	case *ast.InitList:
		p.wide(n, n.Elems)
	case *ast.LambdaExpr:
		p.captures(n)
	case *ast.CallExpr:
		p.readReference(n)
		p.call(n)
	case *ast.MemberExpr:
		p.member(n)
	case *ast.SizeofExpr:
		p.sizeof(n)
	case *ast.AssignExpr:
		p.narrowed(n)
	case *ast.CtorInit:
		name := n.Name.Last().Ident
		if i := p.last(n.Name); i >= 0 && i+1 < len(p.list) && !p.functionNames[name] { // a base
			p.handDown(p.tokens, name, i+1, false, nil)
		}
	}
	if x, ok := n.(ast.Expr); ok {
		if to, ok := p.trace.Record.Casts[x]; ok && p.first(n) >= 0 {
			p.around(p.first(n), p.last(n), p.cast(to), ")")
		}
		if name, ok := p.trace.Record.Call(n); ok && p.first(n) >= 0 {
			p.libraryCall(x, name)
		}
	}
	return true
}

// words edits keywords that Metal spells otherwise, names that it reserves, and attributes that it
// does not know.
func (p *program) words() {
	own := p.declared()
	for i, t := range p.list {
		metal := token.Keyword(t.Text)
		switch {
		case t.Kind == token.KwAttribute:
			p.attribute(i)
		case t.Kind == token.Ident && (metal != token.Ident || own[t.Text] && reserved(t.Text)):
			p.replace(i, p.rename(t.Text))
		case t.Kind == token.KwRestrict && metal != t.Kind:
			p.replace(i, "__restrict")
		case t.Kind.IsKeyword() && metal != t.Kind:
			p.replace(i, t.Kind.String())
		}
	}
}

// reserved reports whether the program cannot declare a name outside of namespaces. It can declare
// Metal's scalar types again.
func reserved(name string) bool {
	t, _ := types.Named(name)
	_, scalar := t.(*types.Basic)
	return taken(name) && !scalar
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
	if f.Spec.Stage == ast.Kernel {
		p.kernel(f)
		if k := p.overload(f); k != nil {
			p.replace(name, p.kernelName(k))
		} else if as := p.kernelTemplate(f); as != "" {
			p.replace(name, as)
		}
		p.handDown(p.tokens, f.Name.Last().Ident, name+1, true, f)
		return
	}
	p.handDown(p.tokens, p.inputName(f), name+1, true, nil)
}

// overload returns the kernel of a declaration if another has its name.
func (p *program) overload(f *ast.FuncDecl) *typed.Kernel {
	if p.device != nil {
		for _, k := range p.device.kernels[namePos(f)] {
			if strings.HasSuffix(k.HostName, ")") && !strings.Contains(k.HostName, "<") {
				return k
			}
		}
	}
	return nil
}

// kernel gives the parameters of a kernel their places.
func (p *program) kernel(f *ast.FuncDecl) {
	if g := p.snapshot.groups[f]; g[0] > 0 && g[0]*g[1]*g[2] <= ir.MaxThreads {
		p.around(p.first(f), p.last(f), fmt.Sprintf("[[max_total_threads_per_threadgroup(%d)]] ", g[0]*g[1]*g[2]), "")
	}
	if p.device != nil {
		if bound := p.bound(f); bound != "" {
			p.around(p.first(f), p.last(f), bound, "")
		}
		for i := p.first(f); i < p.last(f.Name); i++ {
			if k := p.list[i].Kind; k == token.KwStatic || k == token.KwInline {
				p.remove(i)
			}
		}
	}
	next := map[string]int{}
	var copies strings.Builder
	for _, a := range f.Params {
		at := p.last(a)
		if _, written := p.snapshot.params[a]; at < 0 || !written {
			continue
		}
		kind := "buffer"
		typ := a.Type
		if q, ok := typ.(*ast.QualType); ok {
			typ = q.Elem
		}
		p.arrayParam(a)
		switch t := typ.(type) {
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
		if a.Default != nil && a.Ident != nil { // launches give all arguments
			from := p.first(a.Ident) + 1
			for from < at && p.list[from].Kind != token.Assign {
				from++
			}
			for i := from; i <= at; i++ {
				p.replace(i, "")
				p.edit(i).tight = true
			}
			at = from - 1
		}
		place := fmt.Sprintf(" [[%s(%d)]]", kind, next[kind])
		if sampler := p.samplerOf(f, a); sampler != nil {
			param, body := p.sampled(a, sampler)
			place += fmt.Sprintf(", metal::sampler %s [[sampler(%d)]]", param, next["sampler"])
			copies.WriteString(body)
			next["sampler"]++
		}
		p.around(p.first(a), at, "", place)
		next[kind]++
	}
	if f.Body != nil && copies.Len() > 0 {
		p.after(p.first(f.Body), copies.String())
	}
}

// sampler writes a sampler whose state is in the program.
func (p *program) sampler(d *ast.VarDecl) {
	t, ok := d.Type.(*ast.NamedType)
	if !ok || p.device != nil || d.InitKind != ast.ParenInit || len(d.Args) == 0 ||
		ast.NameString(t.Name) != "metal::sampler" {
		return
	}
	first, at, name, last := p.first(d), p.last(t), p.first(d.Name), p.last(d)
	if last > name && p.list[last].Kind == token.Semi {
		last--
	}
	if first < 0 || at < first || name < at || last <= name {
		return
	}
	for i := first; i < at; i++ {
		switch p.list[i].Kind {
		case token.KwConst, token.KwConstant, token.KwStatic:
			p.remove(i)
		}
	}
	p.replace(at, "constexpr metal::sampler")
	var args []string
	for _, a := range d.Args {
		args = append(args, ast.ExprString(a))
	}
	for i := name + 1; i <= last; i++ {
		p.replace(i, "")
		p.edit(i).tight = true
	}
	p.after(name, "("+strings.Join(args, ", ")+")")
}

// image writes the type of a parameter that is an image by its use.
func (p *program) image(a *ast.Param) {
	t, ok := a.Type.(*ast.NamedType)
	if _, written := p.snapshot.params[a]; !ok || !written || a.Ident == nil || !isHandle(t) {
		return
	}
	p.retype(p.first(a), p.first(a.Ident), ast.String(t))
}

// isHandle reports whether a type is a texture or sampler of Metal, which no other language names.
func isHandle(t *ast.NamedType) bool {
	return len(t.Name.Parts) == 2 && t.Name.Parts[0].Ident == "metal"
}

// retype writes another type in place of the tokens before a name.
func (p *program) retype(first, name int, typ string) {
	if first < 0 || name <= first {
		return
	}
	for i := first; i < name; i++ {
		p.replace(i, "")
		p.edit(i).tight = i > first
	}
	p.edit(first).text = typ
}

// arrayParam writes a parameter that is an array as the pointer that it is.
func (p *program) arrayParam(a *ast.Param) {
	was, ok := p.snapshot.params[a].Type.(*ast.ArrayType)
	now, both := a.Type.(*ast.PointerType)
	if !ok || !both || a.Ident == nil {
		return
	}
	if was.Elem != now.Elem || spaceOf(now.Elem) != ast.NoSpace && p.snapshot.spaces[was] == ast.NoSpace {
		p.space(now.Elem, spaceOf(now.Elem).String())
	}
	i := p.first(a.Ident)
	if i < 0 || i+1 >= len(p.list) || p.list[i+1].Kind != token.LBrack {
		return
	}
	end := p.closing(i + 1)
	for k := i + 1; k <= end; k++ {
		p.replace(k, "")
	}
	if end+1 < len(p.list) && p.list[end+1].Kind == token.LBrack {
		p.around(i, i, "(*", ")")
		return
	}
	p.before(i, "*")
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
	if f.Body == nil || !writes(f.Body, name) && (p.device == nil || scalar(was.Type)) {
		return ""
	}
	v.as = p.unused(name + "_in")
	p.replace(ident, v.as)
	return fmt.Sprintf(" %s %s = %s;", strings.Join(typ, " "), p.named(name), v.as)
}

// scalar reports whether a type is one that calls convert.
func scalar(t ast.TypeExpr) bool {
	if q, ok := t.(*ast.QualType); ok {
		t = q.Elem
	}
	_, ok := t.(*ast.BasicType)
	return ok
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

// pointer writes the address space that a pointer has by the rules of the language, or by what it
// is given.
func (p *program) pointer(t, elem ast.TypeExpr) {
	was, known := p.snapshot.spaces[t]
	space := spaceOf(elem)
	if _, function := baseType(elem).(*ast.FuncType); function { // is in no address space
		return
	}
	if !known || was != ast.NoSpace || space == ast.NoSpace || p.apart[t] {
		return
	}
	if space != ast.Inferred {
		p.space(elem, space.String())
		return
	}
	s := p.inferred(t, elem.(*ast.QualType).SpaceParam)
	if s == types.None && p.device.now != nil {
		s = types.Thread // in a branch that no instance has
	}
	if s != types.None {
		p.space(elem, s.String())
	}
}

// inferred returns the address space of a pointer or reference in the function that is written.
func (p *program) inferred(t ast.TypeExpr, param string) (s types.AddrSpace) {
	v := p.device.now
	if v == nil {
		return types.None
	}
	if param != "" {
		if s, ok := v.spaces[param]; ok {
			return s.Or(types.Thread)
		}
	}
	for _, x := range v.instances {
		got, ok := x.Inferred[t]
		if param != "" {
			got, ok = x.Spaces[param]
			got = got.Or(types.Thread)
		}
		if ok && s != types.None && got != s {
			p.unwritten = fmt.Errorf("%v: a pointer into several address spaces", p.files.Position(t.Pos()))
		}
		if ok {
			s = got
		}
	}
	return s
}

// space writes an address space before a type, or after the pointer that is the type.
func (p *program) space(t ast.TypeExpr, space string) {
	at := t
	for {
		switch e := t.(type) {
		case *ast.QualType:
			t = e.Elem
			continue
		case *ast.ArrayType:
			t = e.Elem
			at = t
			continue
		case *ast.PointerType:
			if i := p.last(e); i >= 0 && !p.dropped(i) {
				p.after(i, " "+space+" ")
			}
			return
		}
		break
	}
	if i := p.first(at); i >= 0 && !p.once[i] && !p.dropped(i) {
		p.once[i] = true
		p.around(i, max(i, p.last(t)), space+" ", "")
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
	if end+1 < len(p.list) && p.list[end+1].Kind == token.LParen {
		p.wide(x, x.Args)
	}
}

// wide makes vectors of four of the components of a vector of 8 or 16.
func (p *program) wide(x ast.Expr, args []ast.Expr) {
	s, ok := p.trace.Record.Types[x].(*types.Struct)
	if !ok || len(args) < 2 {
		return
	}
	if lanes, elem := wideOf(s); lanes > 0 {
		p.halves(args, lanes, elem)
	}
}

// halves groups the components of a vector into its halves.
func (p *program) halves(args []ast.Expr, lanes int, elem string) {
	at, split := 0, -1
	sizes := make([]int, len(args))
	for i, a := range args {
		t := p.trace.Record.Types[a]
		sizes[i] = max(types.LenOf(t), 1)
		if s, ok := t.(*types.Struct); ok {
			sizes[i], _ = wideOf(s)
		}
		at += sizes[i]
		if at == lanes/2 && split < 0 {
			split = i + 1
		}
	}
	if split <= 0 || at != lanes {
		return
	}
	for _, half := range [][]ast.Expr{args[:split], args[split:]} {
		first, last := p.first(half[0]), p.last(half[len(half)-1])
		if first < 0 || last < first {
			return
		}
		if len(half) == 1 { // of this type already
			if _, ok := p.trace.Record.Types[half[0]].(*types.Struct); ok ||
				types.LenOf(p.trace.Record.Types[half[0]]) > 1 && lanes == 8 {
				continue
			}
		}
		typ := fmt.Sprint(elem, lanes/2)
		p.types[typ] = true
		p.around(first, last, typ+"(", ")")
		if lanes == 16 {
			p.halves(half, 8, elem)
		}
	}
}

// wideOf returns the number of components of a vector that is a structure, and their type.
func wideOf(s *types.Struct) (lanes int, elem string) {
	name := s.String()
	for _, w := range []struct {
		prefix string
		lanes  int
	}{{"opencl::vec8<", 8}, {"opencl::vec16<", 16}} {
		if rest, ok := strings.CutPrefix(name, w.prefix); ok {
			return w.lanes, strings.TrimSuffix(rest, ">")
		}
	}
	return 0, ""
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
			p.cuts = append(p.cuts, cut{from, to, fmt.Sprintf("// %s is refused.", leftName(d))})
		}
	}
}

func leftName(d ast.Decl) string {
	for {
		t, ok := d.(*ast.TemplateDecl)
		if !ok {
			break
		}
		d = t.Decl
	}
	if f, ok := d.(*ast.FuncDecl); ok {
		return f.Name.Last().Ident
	}
	return ""
}

// wideVector are the library's templates for vectors of more components than Metal has.
var wideVector = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bvec(8|16)<(\w+)>`) })

// sourceType returns how the source spells a type of the text.
func (p *program) sourceType(t string) string {
	t = strings.ReplaceAll(t, p.library.name+"::", "")
	t = wideVector().ReplaceAllString(t, "$2$1")
	for name, as := range p.renamed {
		if t == as {
			return name
		}
	}
	return t
}

// argument describes an argument of a kernel.
func (p *program) argument(a *ast.Param, compiled ir.Arg) Arg {
	was := p.snapshot.params[a]
	x := Arg{Name: compiled.Name, As: compiled.Name, Index: compiled.Index, Type: p.sourceType(compiled.Type),
		Kind: "buffer"}
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
