package translate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/check"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// A language of host and device has no address spaces. Its functions are instances for those of
// their arguments: the text has an overload for each that the program uses, the first of them in
// the function's place, and the others after it. Variables of the program that the host sets,
// and those of a block, become arguments of kernels and are handed down.

// variation is a function for certain address spaces.
type variation struct {
	object    types.AddrSpace            // of the object of a method
	spaces    map[string]types.AddrSpace // that its template parameters stand for
	instances []*check.Instance          // with those of lambdas in it
	checked   *check.Instance
}

// device is what the translation knows of a program with code for the host.
type device struct {
	functions map[diag.Pos][]*variation // by the position of the function's name
	byName    map[string][]*variation   // by name and number of parameters, for declarations
	outer     map[diag.Pos]ast.Decl     // the template that a function is in
	kernels   map[diag.Pos][]*typed.Kernel
	seen      map[diag.Pos]bool
	now       *variation // of the function whose text is written
	shared    *typed.Var // memory whose length the host gives
	sharedOf  map[string]bool
	dynamic   map[string]*ast.VarDecl // that memory's names outside of functions
	lists     map[int][]*ast.VarDecl  // variables of the program by the token that begins their type
	tail      []string                // instances of kernels
	templates map[diag.Pos]string     // names of kernel templates that are not the first of their name
	calls     map[*check.Instance]map[diag.Pos][]*typed.Func
	passed    map[string]map[string][]*typed.Func // functions that parameters of templates are, by function
	around    map[*typed.Func]*check.Instance     // the function that a function is in, or itself
}

// deviceInput is a variable of the program that functions get from the kernel.
type deviceInput struct {
	name  string
	v     *typed.Var
	host  bool // an argument of kernels, else a variable of theirs
	typ   types.Qualified
	uses  []diag.Pos
	users map[string]bool // functions that name it

	// instances are the variables that one declaration of a template makes, by template arguments.
	instances map[string]*typed.Var
	holders   map[*check.Instance]string // with the arguments
	sizes     map[*ast.FuncDecl]int      // of the largest that a kernel reaches
	untyped   bool                       // they have several types, and come as memory
	each      map[diag.Pos]string        // by call, the key of the variable: a kernel needs several

	param, local string // of the library: its declaration as a parameter, and in a kernel
}

// declare returns the declaration of a parameter.
func (p *program) declare(in *deviceInput) string {
	if in.param != "" {
		return in.param
	}
	if handle := handleText(in.typ.Type); handle != "" {
		return handle + " " + in.name
	}
	return p.plain(in.typ.Declare(in.name))
}

// place returns where Metal binds an argument.
func place(k typed.ArgKind) string {
	switch k {
	case typed.ArgThreadgroup:
		return "threadgroup"
	case typed.ArgTexture:
		return "texture"
	case typed.ArgSampler:
		return "sampler"
	}
	return "buffer"
}

// readDevice groups the instances of functions.
func (p *program) readDevice() {
	d := &device{functions: map[diag.Pos][]*variation{}, byName: map[string][]*variation{},
		outer: map[diag.Pos]ast.Decl{}, kernels: map[diag.Pos][]*typed.Kernel{}, seen: map[diag.Pos]bool{},
		calls: map[*check.Instance]map[diag.Pos][]*typed.Func{}, passed: map[string]map[string][]*typed.Func{},
		sharedOf: map[string]bool{}, dynamic: map[string]*ast.VarDecl{}, lists: map[int][]*ast.VarDecl{}}
	p.device = d
	record := &p.trace.Record
	inner := map[*typed.Func][]*check.Instance{}
	for _, x := range record.Instances {
		if x.Within != nil {
			inner[x.Within] = append(inner[x.Within], x)
		}
	}
	var all func(x *check.Instance, depth int) []*check.Instance
	all = func(x *check.Instance, depth int) []*check.Instance {
		list := []*check.Instance{x}
		for _, y := range inner[x.Func] {
			if depth < 64 {
				list = append(list, all(y, depth+1)...)
			}
		}
		return list
	}
	for _, x := range record.Instances {
		if !record.Reached[x.Func] && x.Within == nil && !p.constants(x) {
			continue
		}
		at := namePos(x.Decl)
		v := &variation{object: types.Thread, spaces: x.Spaces, instances: all(x, 0), checked: x}
		if x.Func.This != nil {
			if t, ok := x.Func.This.Type.(*types.Pointer); ok && !x.Decl.Ctor {
				v.object = t.Elem.Space.Or(types.Thread)
			}
		}
		d.functions[at] = add(d.functions[at], v)
		key := functionKey(x.Decl)
		d.byName[key] = add(d.byName[key], v)
	}
	ast.Inspect(p.trace.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return false
		case *ast.VarDecl:
			if isDynamic(n) {
				d.dynamic[n.Name.Last().Ident] = n
			}
			at := p.first(baseType(n.Type))
			d.lists[at] = append(d.lists[at], n)
		}
		if t, ok := n.(*ast.TemplateDecl); ok {
			e := t.Decl
			for {
				inner, ok := e.(*ast.TemplateDecl)
				if !ok {
					break
				}
				e = inner.Decl
			}
			if f, ok := e.(*ast.FuncDecl); ok && f.Name != nil && d.outer[namePos(f)] == nil {
				d.outer[namePos(f)] = t
			}
		}
		return true
	})
	for _, k := range record.Program.Kernels {
		d.kernels[k.Func.Pos] = append(d.kernels[k.Func.Pos], k)
		for _, a := range k.Args {
			if a.Host {
				p.hostInput(a)
			}
		}
	}
	p.nameTemplates()
	p.readUses()
}

// constants reports whether a function may be one that only constants need, which no kernel calls.
func (p *program) constants(x *check.Instance) bool {
	return x.Func.Constexpr && !x.Func.Ctor && x.Func.Body != nil && len(x.Spaces) == 0
}

// add adds an instance to the variations, or to one with the same address spaces.
func add(list []*variation, v *variation) []*variation {
	for _, old := range list {
		if old.object == v.object && maps.Equal(old.spaces, v.spaces) {
			old.instances = append(old.instances, v.instances...)
			return list
		}
	}
	c := *v
	return append(list, &c)
}

// namePos is the position of a function's name, without what qualifies it.
func namePos(f *ast.FuncDecl) diag.Pos { return f.Name.Last().Pos() }

func functionKey(f *ast.FuncDecl) string {
	n := f.Name.Last()
	if n.Kind == ast.PartIdent {
		return fmt.Sprint(n.Ident, "/", len(f.Params))
	}
	return fmt.Sprint(ast.NameString(&ast.Name{Parts: []ast.NamePart{*n}}), "/", len(f.Params))
}

// isDynamic reports whether a variable is extern __shared__.
func isDynamic(d *ast.VarDecl) bool {
	return d.Spec.Extern && d.Name != nil && memorySpace(d.Type) == ast.Threadgroup
}

func memorySpace(t ast.TypeExpr) ast.AddrSpace {
	for {
		switch e := t.(type) {
		case *ast.ArrayType:
			t = e.Elem
		case *ast.QualType:
			return e.Space
		default:
			return ast.NoSpace
		}
	}
}

// elemText is the text of the type of an array's elements.
func (p *program) elemText(d *ast.VarDecl) string {
	t, qualifiers := d.Type, ""
	for {
		switch e := t.(type) {
		case *ast.ArrayType:
			t = e.Elem
			continue
		case *ast.QualType:
			if e.Const {
				qualifiers += "const "
			}
			if e.Volatile {
				qualifiers += "volatile "
			}
			t = e.Elem
			continue
		case *ast.PointerType:
			if _, more := baseType(e.Elem).(*ast.PointerType); more {
				return ""
			}
			if _, s := p.innerSpace(e); s != "" {
				qualifiers += s + " "
			}
		}
		first, last := p.first(t), p.last(t)
		if first < 0 || last < first {
			return ""
		}
		return qualifiers + p.sharedText(first, last)
	}
}

// sharedText is the text of tokens with the edits that all instances share.
func (p *program) sharedText(first, last int) string {
	var b strings.Builder
	for i := first; i <= last; i++ {
		text := p.list[i].Text
		if e := p.frozen[i]; e != nil && e.replaced {
			text = e.text
		}
		if i > first && text != "" {
			b.WriteString(p.gap(i))
		}
		b.WriteString(text)
	}
	return strings.TrimSpace(b.String())
}

// deviceFunc writes the variations of a function.
func (p *program) deviceFunc(f *ast.FuncDecl) {
	d := p.device
	if f.Name == nil {
		return
	}
	at := namePos(f)
	if d.seen[at] {
		return
	}
	d.seen[at] = true
	outer := ast.Node(f)
	if t := d.outer[at]; t != nil {
		outer = t
	}
	first, last := p.first(outer), p.last(outer)
	if first < 0 {
		first = p.first(f)
	}
	if first < 0 || last < first {
		return
	}
	list := d.functions[at]
	if f.Body == nil && !f.Ctor || len(f.Name.Parts) > 1 {
		list = d.byName[functionKey(f)]
	}
	primary := len(list) == 0 && f.Body != nil && d.outer[at] != nil && p.list[first].Kind == token.KwTemplate
	if primary { // its specializations are used
		list = d.byName[functionKey(f)]
	}
	list = slices.DeleteFunc(slices.Clone(list), func(v *variation) bool {
		return len(v.spaces) != p.spaceParams(at) && !p.specialization(at)
	})
	elsewhere := f.Body != nil && p.last(f.Body) > p.last(f)
	if len(list) == 0 {
		if f.Body != nil || !f.Member || f.Defaulted && len(f.Params) > 0 { // Metal makes copies itself
			if first > 1 && p.list[first-1].Kind == token.String && p.list[first-2].Kind == token.KwExtern {
				first -= 2
			}
			p.drop(first, p.withSemi(last), "")
		}
		return
	}
	if f.Spec.Stage == ast.Kernel {
		list = list[:1]
		p.specialKernel(f, first)
	}
	words := p.tokens
	outerSeen, outerNow, outerLater := d.seen, d.now, p.later
	outerOnce := p.once
	for i, v := range list {
		t := words
		if i > 0 {
			t = words.copyOf(first, last, words)
			d.seen = map[diag.Pos]bool{at: true}
			p.once = map[int]bool{}
		}
		p.tokens, d.now, p.later = t, v, nil
		ast.Inspect(outer, func(n ast.Node) bool {
			if n == ast.Node(f) {
				p.funcDecl(f)
				if f.Spec.Stage != ast.Kernel {
					p.textureTypes(f, outer)
				}
				for t, _ := outer.(*ast.TemplateDecl); t != nil; t, _ = t.Decl.(*ast.TemplateDecl) {
					for i := range t.Params {
						p.passedParam(f, &t.Params[i])
					}
				}
				p.object(f, v)
				p.views(f)
				for _, a := range p.snapshot.members[at] {
					if elsewhere {
						ast.Inspect(a, p.visit)
					}
				}
				return !elsewhere
			}
			if n == outer {
				return true
			}
			return p.visit(n)
		})
		for _, l := range slices.Backward(p.later) {
			l()
		}
		if primary {
			p.drop(p.first(f.Body), last, ";")
		}
		if i > 0 {
			text := t.span(first, last)
			end := p.withSemi(last)
			if end != last {
				text += ";"
			}
			words.after(end, "\n"+text)
		}
	}
	p.tokens, d.seen, d.now, p.later, p.once = words, outerSeen, outerNow, outerLater, outerOnce
	p.instances(f)
}

// specialization reports whether a function is an explicit specialization: the address spaces are
// its template's.
func (p *program) specialization(at diag.Pos) bool {
	t, ok := p.device.outer[at].(*ast.TemplateDecl)
	return ok && len(t.Params) == 0
}

// spaceParams returns how many template parameters of a function stand for address spaces.
func (p *program) spaceParams(at diag.Pos) (n int) {
	t, _ := p.device.outer[at].(*ast.TemplateDecl)
	for t != nil {
		for i := range t.Params {
			if dialect.IsSpace(t.Params[i]) {
				n++
			}
		}
		t, _ = t.Decl.(*ast.TemplateDecl)
	}
	return n
}

// withSemi returns the index of a semicolon after a token, or the token's.
func (p *program) withSemi(i int) int {
	if i+1 < len(p.list) && p.list[i+1].Kind == token.Semi {
		return i + 1
	}
	return i
}

// object writes the address space of the object of a method, and of its result.
func (p *program) object(f *ast.FuncDecl, v *variation) {
	if v.object != types.Thread && f.Quals.Space == ast.NoSpace || f.Quals.Space != ast.NoSpace {
		if i := p.last(f.Name); i >= 0 && v.object != types.Thread {
			i = p.closing(i + 1)
			if i+1 < len(p.list) && p.list[i+1].Kind == token.KwConst {
				i++
			}
			p.after(i, " "+v.object.String())
		}
	}
	was := p.snapshot.results[namePos(f)]
	s := types.None
	if t, ok := v.checked.Func.Result.(*types.Pointer); ok {
		s = t.Elem.Space.Or(types.Thread)
	}
	if s == types.None || was == f.Result {
		return
	}
	switch t := was.(type) {
	case *ast.PointerType:
		p.space(t.Elem, s.String())
	case *ast.ReferenceType:
		p.space(t.Elem, s.String())
	}
}

// drop removes tokens, for which a text may stand.
func (p *program) drop(first, last int, text string) {
	for i := first; i <= last; i++ {
		p.replace(i, "")
		p.edit(i).dropped = true
		if e := p.edit(i); i == first {
			e.text = text
		} else {
			e.before, e.after = "", ""
		}
	}
}

// dropped reports whether a token is dropped.
func (p *program) dropped(i int) bool { return p.edits[i] != nil && p.edits[i].dropped }

// deviceVar edits a variable.
func (p *program) deviceVar(d *ast.VarDecl) {
	if d.Name == nil {
		return
	}
	first, name := p.first(d), p.last(d.Name)
	if first < 0 || name < first {
		return
	}
	p.textureVar(d)
	was := p.snapshot.vars[d]
	now := memorySpace(d.Type)
	end := p.withSemi(p.last(d))
	name0 := d.Name.Last().Ident
	switch {
	case isDynamic(d):
		text := ""
		if p.device.now != nil {
			f := p.device.now.checked.Decl
			in := p.variables[dynamicInput]
			if !p.device.sharedOf[f.Name.Last().Ident+"/"+name0] && in != nil &&
				slices.Contains(p.needs[p.inputName(f)], dynamicInput) {
				text = p.view(d, in)
			}
		}
		p.drop(first, end, text)
	case p.device.now != nil && now == ast.Threadgroup:
		if in := p.variables[varInput(d.Pos())]; in != nil {
			text := ""
			if e := p.edits[first]; e != nil && e.dropped { // of the variable before in a list
				text = e.text
			}
			if in.untyped {
				text += p.typedBlock(d, in)
			}
			if end+1 < len(p.list) && p.list[end+1].Kind == token.Comma {
				end++
			}
			p.drop(first, end, text)
			return
		}
		for i := first; i < name; i++ {
			if p.list[i].Kind == token.KwStatic {
				p.remove(i)
			}
		}
	case p.device.now == nil && p.isHostVar(d):
		p.dropVar(d)
	case p.device.now == nil && !d.Field && now == ast.Constant && was == ast.NoSpace:
		if _, array := d.Type.(*ast.ArrayType); !array {
			p.space(d.Type, "constant")
		}
	}
	if now == ast.Constant && was == ast.Device {
		for i := first; i < name; i++ {
			if p.list[i].Text == "__device__" {
				p.replace(i, "constant")
			}
		}
	}
}

// dropVar removes the declaration of a variable of the program, with those of the list that it is
// in if the host sets all of them.
func (p *program) dropVar(d *ast.VarDecl) {
	first, end := p.first(d), p.withSemi(p.last(d))
	for first > 0 && !ends(p.list[first-1]) && p.list[first-1].Kind != token.LBrace && !p.cut[first-1] {
		first--
	}
	list := p.device.lists[p.first(baseType(d.Type))]
	kept := slices.ContainsFunc(list, func(v *ast.VarDecl) bool { return !p.isHostVar(v) && v != d })
	if kept {
		p.dropOne(list, d)
		return
	}
	for end+1 < len(p.list) && p.list[end].Kind != token.Semi {
		end++
	}
	p.drop(first, end, "")
}

// dropOne removes a variable of a list, with the comma before it, or after it if none before it
// stays.
func (p *program) dropOne(list []*ast.VarDecl, d *ast.VarDecl) {
	before := false
	for _, v := range list {
		if v == d {
			break
		}
		before = before || !p.isHostVar(v)
	}
	first, last := p.first(d.Name), p.last(d.Name)
	for first > 0 && p.list[first-1].Kind == token.Star {
		first--
	}
	for last+1 < len(p.list) && p.list[last+1].Kind != token.Comma && p.list[last+1].Kind != token.Semi {
		last++
		switch p.list[last].Kind {
		case token.LBrace, token.LParen, token.LBrack:
			last = p.closing(last)
		}
	}
	if before {
		first--
	} else {
		last++
	}
	for i := first; i <= last; i++ {
		p.replace(i, "")
		p.edit(i).tight = true
	}
}

// isHostVar reports whether a variable of the program is one that the host sets.
func (p *program) isHostVar(d *ast.VarDecl) bool {
	if d.Field {
		return false
	}
	if isReference(d.Type) {
		return true
	}
	switch memorySpace(d.Type) {
	case ast.Device:
		return true
	case ast.Constant:
		return d.InitKind == ast.NoInit
	}
	return false
}

// remove removes a token with the blanks after it.
func (p *program) remove(i int) {
	p.replace(i, "")
	p.edit(i).eats = true
}

// deviceWords edits the specifiers of what the device has.
func (p *program) deviceWords() {
	for i, t := range p.list {
		if p.cut[i] {
			continue
		}
		switch t.Text {
		case "__global__":
			p.replace(i, "kernel")
		case "__device__", "__host__", "__forceinline__", "__noinline__", "__managed__", "__grid_constant__",
			"__nv_pure__", "__inline_hint__":
			p.remove(i)
		case "__shared__":
			p.replace(i, "threadgroup")
		case "__constant__":
			p.replace(i, "constant")
		case "register":
			p.remove(i)
		case "__restrict__":
			p.replace(i, "__restrict")
		case "__align__", "__builtin_align__":
			p.replace(i, "alignas")
		case "__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__block_size__":
			if i+1 < len(p.list) && p.list[i+1].Kind == token.LParen {
				p.drop(i, p.closing(i+1), "")
			}
		case "std", "cub", "thrust":
			if i+2 < len(p.list) && p.list[i+1].Kind == token.ColonColon {
				if p.library.aliased(p.list[i+2].Text) {
					p.remove(i)
					p.remove(i + 1)
					break
				}
				p.replace(i, p.library.name)
			}
		case "long":
			if i > 0 && p.list[i-1].Text == "long" && p.edits[i-1] == nil {
				p.replace(i, "")
				p.edit(i).tight = true
			}
		}
	}
}

// builtinVar writes a use of threadIdx and its sisters.
func (p *program) builtinVar(x *ast.NameExpr, name string) {
	i := p.first(x)
	if i < 0 {
		return
	}
	name = p.input(builtinOf(name))
	if next := i + 1; next+1 < len(p.list) && p.list[next].Kind == token.Dot && len(p.list[next+1].Text) == 1 {
		p.replace(i, name)
		return
	}
	maker := "make_uint3"
	if strings.HasSuffix(p.list[i].Text, "Dim") {
		maker = "dim3"
	}
	p.made[maker] = true
	p.replace(i, fmt.Sprintf("%s(%s.x, %s.y, %s.z)", maker, name, name, name))
}

// builtinOf returns the parameter of kernels in Metal that a variable of the language is, or "".
func builtinOf(name string) string {
	switch name {
	case "threadIdx":
		return "thread_position_in_threadgroup"
	case "blockIdx":
		return "threadgroup_position_in_grid"
	case "blockDim":
		return "threads_per_threadgroup"
	case "gridDim":
		return "threadgroups_per_grid"
	}
	return ""
}
