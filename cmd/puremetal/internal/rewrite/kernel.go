package rewrite

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/parse"
	"github.com/puremetal/puremetal/internal/msl/pp"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// Kernel is a parsed kernel. Its methods return changed sources; the kernel itself stays the same.
type Kernel struct {
	name   string
	file   *diag.File
	decl   *ast.FuncDecl
	params []*param
	uses   map[string][]use // of parameters and variables, in the body
}

// param is a parameter of the kernel.
type param struct {
	name      string
	attribute string     // buffer, thread_position_in_grid and so on
	pointer   bool       // or a reference, or a value
	constant  bool       // what it points to cannot be written through it
	space     string     // of what it points to: device or constant
	typ       edit       // the type of what it points to, or its own, without qualifiers
	node      *ast.Param // as declared
}

// use is a name in the body with the nodes around it, the innermost last.
type use struct {
	node ast.Node
	path []ast.Node
}

// Parse parses the kernel of that name. Elements that it reaches by *(b + i), (b + i)->x, b->x or,
// in an atomic function, by b + i or b are written as b[i].
func Parse(text, kernel string, o msl.Options) (*Kernel, error) {
	k, err := parseText(text, kernel, o)
	for range maxNesting {
		if err != nil {
			return nil, err
		}
		edits := k.indexed()
		if len(edits) == 0 {
			break
		}
		k, err = parseText(k.apply(edits), kernel, o)
	}
	return k, err
}

// maxNesting is how deeply elements may be in the indices of others that Parse writes by index.
const maxNesting = 8

// indexed returns the edits that write elements by index. Those within others are left for later.
func (k *Kernel) indexed() (edits []edit) {
	end := 0
	for _, p := range k.params {
		if !p.pointer || p.space == "" {
			continue
		}
		for _, u := range k.uses[p.name] {
			if e, ok := k.index(u); ok {
				edits = append(edits, e)
			}
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	return slices.DeleteFunc(edits, func(e edit) bool {
		inner := e.from < end
		end = max(end, e.to)
		return inner
	})
}

// index returns the edit that writes by index the element that a use of a pointer reaches; false if
// it is written so, or may be anything.
func (k *Kernel) index(u use) (e edit, ok bool) {
	x, path, index := u.node, u.path, ""
	parent := func() (n ast.Node) {
		if len(path) > 0 {
			n = path[len(path)-1]
		}
		return n
	}
	up := func() { x, path = parent(), path[:len(path)-1] }
	for {
		switch n := parent().(type) {
		case *ast.ParenExpr:
			up()
			continue
		case *ast.BinaryExpr:
			if n.Op != token.Plus || index != "" { // a sum of indices may wrap where that of pointers does not
				return e, false
			}
			other := n.X
			if n.X == x {
				other = n.Y
			}
			index = k.text(other)
			up()
			continue
		}
		break
	}
	element := fmt.Sprintf("%s[%s]", k.text(u.node), cmp.Or(index, "0"))
	switch n := parent().(type) {
	case *ast.UnaryExpr:
		if n.Op == token.Star {
			return k.replace(n, element), true
		}
	case *ast.MemberExpr:
		if n.Arrow && n.X == x {
			return edit{k.file.Offset(n.Pos()), k.file.Offset(n.Name.Pos()), element + "."}, true
		}
	case *ast.CallExpr: // other functions may access more elements
		if name := strings.TrimPrefix(k.text(n.Fun), "metal::"); strings.HasPrefix(name, "atomic_") &&
			slices.ContainsFunc(n.Args, func(a ast.Expr) bool { return a == x }) {
			return k.replace(x, "&"+element), true
		}
	}
	return e, false
}

// parseText parses the kernel as it is written.
func parseText(text, kernel string, o msl.Options) (*Kernel, error) {
	files := diag.NewFileSet()
	main := files.AddFile("source", text)
	sink := diag.NewSinkLimit(diag.DefaultLimit)
	toks := pp.Process(files, main, pp.Options{Defines: o.Defines, Include: o.Include, IncludeDirs: o.IncludeDirs,
		Dir: o.Dir, MetalVersion: o.MetalVersion}, sink)
	tree := parse.File(files, toks, sink)
	if sink.Errors() > 0 {
		return nil, fmt.Errorf("%w: the source has errors", ErrNot)
	}
	k := &Kernel{name: kernel, file: main, uses: map[string][]use{}}
	ast.Inspect(tree, func(n ast.Node) bool {
		if f, ok := n.(*ast.FuncDecl); ok && f.Name.Simple() == kernel && f.Body != nil && k.isKernel(f) {
			k.decl = f
		}
		return k.decl == nil
	})
	if k.decl == nil {
		return nil, fmt.Errorf("%w: the source does not define kernel %s as a plain function", ErrNot, kernel)
	}
	for _, p := range k.decl.Params {
		k.params = append(k.params, k.param(p))
	}
	var path []ast.Node
	var walk func(ast.Node)
	walk = func(n ast.Node) {
		ast.Inspect(n, func(x ast.Node) bool {
			if x == n {
				return true
			}
			path = append(path, x)
			walk(x)
			path = path[:len(path)-1]
			return false
		})
		if name, ok := n.(*ast.NameExpr); ok {
			around := slices.Clone(path[:max(len(path)-1, 0)])
			k.uses[name.Name.Simple()] = append(k.uses[name.Name.Simple()], use{n, around})
		}
	}
	walk(k.decl.Body)
	if err := k.plain(k.decl); err != nil {
		return nil, err
	}
	return k, nil
}

func (k *Kernel) isKernel(f *ast.FuncDecl) bool {
	return (f.Spec.Stage == ast.Kernel || ast.FindAttr("kernel", f.Attrs) != nil) && k.file.Contains(f.Pos())
}

// plain fails for a node with parts that a macro has made: their text cannot be changed.
func (k *Kernel) plain(n ast.Node) (err error) {
	ast.Inspect(n, func(x ast.Node) bool {
		if err == nil && (!k.file.Contains(x.Pos()) || !k.file.Contains(x.End())) {
			err = fmt.Errorf("%w: kernel %s uses macros or other files in its text", ErrNot, k.name)
		}
		return err == nil
	})
	return err
}

func (k *Kernel) param(p *ast.Param) *param {
	x := &param{node: p}
	var element ast.Node = p.Type
	if p.Ident != nil {
		x.name = p.Ident.Name
	}
	if len(p.Attrs) > 0 {
		x.attribute = p.Attrs[0].Name
	}
	for {
		switch t := element.(type) {
		case *ast.PointerType:
			x.pointer, element = true, t.Elem
			continue
		case *ast.ReferenceType:
			element = t.Elem
			continue
		case *ast.QualType:
			x.constant = t.Const || t.Space == ast.Constant
			switch t.Space {
			case ast.Device:
				x.space = "device"
			case ast.Constant:
				x.space = "constant"
			}
			element = t.Elem
			continue
		}
		break
	}
	x.typ = k.typeWord(element)
	return x
}

var (
	words      = regexp.MustCompile(`[\w:]+`)
	qualifiers = []string{"const", "constant", "device", "thread", "threadgroup", "volatile", "restrict", "coherent"}
)

// typeWord returns where the name of a type is, without the qualifiers around it, which are within
// its node. The text is empty if the name is more than a word.
func (k *Kernel) typeWord(n ast.Node) (found edit) {
	text, at := k.text(n), k.file.Offset(n.Pos())
	for _, m := range words.FindAllStringIndex(text, -1) {
		word := text[m[0]:m[1]]
		switch {
		case slices.Contains(qualifiers, word):
		case found.text != "":
			return edit{}
		default:
			found = edit{at + m[0], at + m[1], word}
		}
	}
	return found
}

// text returns the source of a node, "" if it is not in the file.
func (k *Kernel) text(n ast.Node) string {
	if !k.file.Contains(n.Pos()) || !k.file.Contains(n.End()) {
		return ""
	}
	return k.file.Text[k.file.Offset(n.Pos()):k.file.Offset(n.End())]
}

// not says why a change does not apply, at a node.
func (k *Kernel) not(n ast.Node, format string, args ...any) error {
	return fmt.Errorf("%w: line %d %s", ErrNot, k.file.LineAt(k.file.Offset(n.Pos())), fmt.Sprintf(format, args...))
}

// memory returns the parameter that is a pointer to device or constant memory.
func (k *Kernel) memory(name string) (*param, error) {
	for _, p := range k.params {
		if p.name == name && p.pointer && p.space != "" {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%w: kernel %s has no buffer %s", ErrNot, k.name, name)
}

// input returns the parameter with an attribute, nil if there is none.
func (k *Kernel) input(attribute string) *param {
	for _, p := range k.params {
		if p.attribute == attribute {
			return p
		}
	}
	return nil
}

// edit replaces a node, or inserts text before or after it.
type edit struct {
	from, to int
	text     string
}

func (k *Kernel) replace(n ast.Node, text string) edit {
	return edit{k.file.Offset(n.Pos()), k.file.Offset(n.End()), text}
}

func (k *Kernel) before(n ast.Node, text string) edit {
	at := k.file.Offset(n.Pos())
	return edit{at, at, text}
}

func (k *Kernel) after(n ast.Node, text string) edit {
	at := k.file.Offset(n.End())
	return edit{at, at, text}
}

// apply returns the source with edits made. They must not overlap; equal ones are made once.
func (k *Kernel) apply(edits []edit) string { return k.applyWithin(edits, 0, len(k.file.Text)) }

// applyWithin returns a part of the source with edits made, all of which are in it.
func (k *Kernel) applyWithin(edits []edit, at, end int) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	edits = slices.Compact(edits)
	var b strings.Builder
	for _, e := range edits {
		b.WriteString(k.file.Text[at:e.from])
		b.WriteString(e.text)
		at = e.to
	}
	b.WriteString(k.file.Text[at:end])
	return b.String()
}

// accessOf returns the access of which a use is the array, and the rest of the path around it.
func accessOf(u use) (*ast.IndexExpr, []ast.Node, bool) {
	n := len(u.path)
	if n == 0 {
		return nil, nil, false
	}
	x, ok := u.path[n-1].(*ast.IndexExpr)
	if !ok || x.X != u.node {
		return nil, nil, false
	}
	return x, u.path[:n-1], true
}

// returns finds a return statement.
func (k *Kernel) returns() (at ast.Node) {
	ast.Inspect(k.decl.Body, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok {
			at = r
		}
		_, inner := n.(*ast.LambdaExpr)
		return at == nil && !inner
	})
	return at
}

// fresh returns a name that the source does not have.
func (k *Kernel) fresh(name string) string {
	for strings.Contains(k.file.Text, name) {
		name += "_"
	}
	return name
}
