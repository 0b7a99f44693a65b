package bindtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// source is what the generated files contain: the Go functions, what each sends, and the
// declaration in its comment. A few wrapper types are in hand-written files.
type source struct {
	b       *Bindings
	funcs   []*goFunc
	classes map[string]*wrapper // by Go type
	goType  map[string]string   // Go type of an Objective-C class or protocol
	foreign map[string]string   // the same of types of MPS that another package binds: "mps.Kernel"
	index   map[string]int      // of the constants m..., c..., f...
}

// wrapper is a wrapper type.
type wrapper struct {
	goType, name string // "Buffer", "MTLBuffer"
	parent       string // Go type that it embeds or is an alias of, "" for objc.Object
	protocol     bool
	alias        bool // the Go type is the parent
	since        int  // major<<8 | minor
}

// goFunc is a generated function or method that sends a message, makes an object, calls a C
// function or reads a constant.
type goFunc struct {
	recv, name string // recv is "" for a function; sendBufferData is sendData of a Buffer
	symbol     string // name of the declaration
	at         string // file:line
	table      string // zmethods, zclasses, zfunctions or zconstants
	entry      string // the constant that indexes it
	entries    int    // different ones used
	class      string // constant of zclasses, for a constructor or class method
	checked    bool   // asks first whether the receiver answers
	measured   bool   // compares the length of a slice with what other values say, sending messages for some
	guarded    bool   // checks numbers that Objective-C would raise an exception for
	optional   bool   // its protocol does not require it
	decl       *declaration
	names      []string // of the Go parameters
	params     []string // their types
	results    []string
	nilable    map[string]bool // parameters whose nil or empty value is sent as nil, by the comment
	signature  string
	doc        string // in one line
}

func (f *goFunc) String() string {
	if f.recv == "" {
		return f.name
	}
	return f.recv + "." + f.name
}

// declaration is an Objective-C method as declared.
type declaration struct {
	classMethod bool
	ret         string
	labels      []string // "setBuffer:"; one without colon when there are no parameters
	types       []string
	names       []string
}

func (d *declaration) selector() string { return strings.Join(d.labels, "") }

func readSource(b *Bindings) (*source, error) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		return nil, err
	}
	s := &source{b: b, classes: map[string]*wrapper{}, goType: map[string]string{}, foreign: map[string]string{},
		index: map[string]int{}}
	fset := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, i := range f.Imports {
			if err := s.readForeign(strings.Trim(i.Path.Value, `"`)); err != nil {
				return nil, err
			}
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				s.readGroup(d, name[0] == 'z')
			case *ast.FuncDecl:
				if name[0] != 'z' {
					continue
				}
				if err := s.readFunc(fset, d); err != nil {
					return nil, fmt.Errorf("%v: %w", fset.Position(d.Pos()), err)
				}
			}
		}
	}
	return s, nil
}

var (
	classComment = regexp.MustCompile(`(?:Objective-C|conforms to the)\s+(class|protocol)\s+(M(?:TL|PS)\w+)` +
		`(?:\. Since macOS (\d+)\.(\d+))?`)
	declComment = regexp.MustCompile(`(?m)^(?://)?\s*([-+]) ?(\(.*)$`)
	nilComment  = regexp.MustCompile(`The arguments? ([\w, ]+?) may be nil\.|If ([\w ]+?) is empty, nil is passed\.`)
	nilAnd      = regexp.MustCompile(`, | and | or `)
	indexName   = regexp.MustCompile(`^[mcfk][A-Z]`)
)

func (s *source) readGroup(d *ast.GenDecl, generated bool) {
	for i, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			if name := spec.Names[0].Name; generated && d.Tok == token.CONST && indexName.MatchString(name) {
				s.index[name] = i // iota
			}
		case *ast.TypeSpec:
			parent, ok := embedded(spec)
			all := classComment.FindAllStringSubmatch(d.Doc.Text(), -1)
			if !ok || all == nil || !spec.Name.IsExported() {
				continue
			}
			m := all[len(all)-1]
			c := &wrapper{goType: spec.Name.Name, name: m[2], protocol: m[1] == "protocol", alias: spec.Assign.IsValid()}
			if parent != "objc.Object" {
				c.parent = parent
			}
			major, _ := strconv.Atoi(m[3])
			minor, _ := strconv.Atoi(m[4])
			c.since = major<<8 | minor
			if c.since == 0 && !generated { // no version given by hand: no method is older than its class
				for i := range s.b.Methods {
					if v := int(s.b.Methods[i].Since); s.b.Methods[i].Class == c.name && (c.since == 0 || v < c.since) {
						c.since = v
					}
				}
			}
			s.classes[c.goType] = c
			s.goType[c.name] = c.goType
		}
	}
}

// embedded returns the type that a wrapper embeds, or that it is an alias of.
func embedded(spec *ast.TypeSpec) (name string, ok bool) {
	if spec.Assign.IsValid() {
		return types.ExprString(spec.Type), true
	}
	st, ok := spec.Type.(*ast.StructType)
	if !ok || len(st.Fields.List) == 0 {
		return "", false
	}
	return types.ExprString(st.Fields.List[0].Type), true
}

// foreignComment finds the Objective-C name of a type in the comment that the generator gives it.
var foreignComment = regexp.MustCompile(`(?:Objective-C (?:class|protocol)|is the (?:enumeration|option set)|` +
	`layout of the C structure)\s+(MPS\w+)`)

// readForeign reads which types another package of MPS binds. The names alone do not say it.
func (s *source) readForeign(importPath string) error {
	_, rel, ok := strings.Cut(importPath, "/puremetal/puremetal/mps")
	if !ok {
		return nil
	}
	pkg := path.Base(importPath)
	dir, err := moduleFolder()
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(dir, "mps", rel, "z*.go"))
	if err != nil || s.foreign[importPath] != "" {
		return err
	}
	s.foreign[importPath] = pkg // read already
	fset := token.NewFileSet()
	for _, name := range files {
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			if m := foreignComment.FindStringSubmatch(g.Doc.Text()); m != nil {
				s.foreign[m[1]] = pkg + "." + g.Specs[0].(*ast.TypeSpec).Name.Name
			}
		}
	}
	return nil
}

// moduleFolder is the folder with go.mod, above the test's.
func moduleFolder() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err = os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if up := filepath.Dir(dir); up != dir {
			dir, err = up, nil
		}
	}
	return "", err
}

// goName is the Go name of an Objective-C name, with its package where another one binds it.
func (s *source) goName(name string) string {
	if t := s.foreign[name]; t != "" {
		return t
	}
	return s.b.goName(name)
}

func (s *source) readFunc(fset *token.FileSet, d *ast.FuncDecl) error {
	pos := fset.Position(d.Pos())
	f := &goFunc{name: d.Name.Name, symbol: d.Name.Name, at: fmt.Sprintf("%s:%d", pos.Filename, pos.Line),
		signature: types.ExprString(d.Type)}
	if d.Recv != nil {
		f.recv = types.ExprString(d.Recv.List[0].Type)
	}
	hidden := isSender(d)
	if hidden {
		f.recv = types.ExprString(d.Type.Params.List[0].Type)
		f.name = "send" + strings.TrimPrefix(f.name, "send"+f.recv)
	}
	entries := map[string]bool{}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			f.checked = f.checked || n.Sel.Name == "Check"
			f.guarded = f.guarded || strings.HasSuffix(n.Sel.Name, "BadArgument")
			f.measured = f.measured || strings.HasSuffix(n.Sel.Name, "ShortArgument")
		case *ast.IndexExpr:
			table, ok := n.X.(*ast.Ident)
			if !ok || !slices.Contains([]string{"zmethods", "zclasses", "zfunctions", "zconstants"}, table.Name) {
				return true
			}
			entry := types.ExprString(n.Index)
			if table.Name == "zclasses" {
				f.class = entry
				if f.table != "" {
					return true
				}
			}
			if table.Name != "zclasses" {
				entries[entry] = true
			}
			f.table, f.entry = table.Name, entry
		}
		return true
	})
	if f.table == "" {
		return nil
	}
	f.entries = len(entries)
	f.doc = strings.Join(strings.Fields(d.Doc.Text()), " ")
	f.optional = strings.Contains(f.doc, "Not every device implements it")
	fields(d.Type.Params, func(name, typ string) {
		if hidden && name == "o" {
			return
		}
		f.names = append(f.names, name)
		f.params = append(f.params, typ)
	})
	f.nilable = map[string]bool{}
	for _, m := range nilComment.FindAllStringSubmatch(f.doc, -1) {
		for _, name := range nilAnd.Split(m[1]+m[2], -1) {
			if !slices.Contains(f.names, name) {
				return fmt.Errorf("the comment names %q, which is no parameter", name)
			}
			f.nilable[name] = true
		}
	}
	fields(d.Type.Results, func(_, typ string) { f.results = append(f.results, typ) })
	if m := declComment.FindStringSubmatch(d.Doc.Text()); m != nil {
		decl, err := parseDeclaration(m[1] == "+", m[2])
		if err != nil {
			return err
		}
		f.decl = decl
	}
	s.funcs = append(s.funcs, f)
	return nil
}

// isSender reports whether a function sends a message for a hand-written method. Its first
// parameter is the receiver.
func isSender(d *ast.FuncDecl) bool {
	return d.Recv == nil && strings.HasPrefix(d.Name.Name, "send") && len(d.Type.Params.List) > 0 &&
		d.Type.Params.List[0].Names[0].Name == "o"
}

func fields(fields *ast.FieldList, f func(name, typ string)) {
	if fields == nil {
		return
	}
	for _, p := range fields.List {
		names := p.Names
		if len(names) == 0 {
			names = []*ast.Ident{{}}
		}
		for _, n := range names {
			f(n.Name, types.ExprString(p.Type))
		}
	}
}

// parseDeclaration reads "(void)setBuffer:(id<MTLBuffer>)buffer offset:(NSUInteger)offset".
func parseDeclaration(classMethod bool, text string) (*declaration, error) {
	d := &declaration{classMethod: classMethod}
	rest := text
	inBrackets := func() (string, error) {
		depth := 0
		for i, r := range rest {
			switch r {
			case '(':
				depth++
			case ')':
				if depth--; depth == 0 {
					s := rest[1:i]
					rest = strings.TrimSpace(rest[i+1:])
					return strings.TrimSpace(s), nil
				}
			}
		}
		return "", fmt.Errorf("declaration %q: brackets do not match", text)
	}
	var err error
	if d.ret, err = inBrackets(); err != nil {
		return nil, err
	}
	for rest != "" {
		label, after, ok := strings.Cut(rest, ":")
		if !ok {
			d.labels = append(d.labels, rest)
			break
		}
		rest = strings.TrimSpace(after)
		typ, err := inBrackets()
		if err != nil {
			return nil, err
		}
		name, after, _ := strings.Cut(rest, " ")
		rest = strings.TrimSpace(after)
		d.labels = append(d.labels, label+":")
		d.types = append(d.types, typ)
		d.names = append(d.names, name)
	}
	return d, nil
}
