package docs

import (
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// source is a package, parsed with its comments and without its tests.
type source struct {
	files map[string]*ast.File // by name
	doc   *doc.Package
	names map[string]bool // exported: F, T, T.Method
}

func parsePackage(t *testing.T, dir string) *source {
	t.Helper()
	s := &source{files: map[string]*ast.File{}, names: map[string]bool{}}
	set := token.NewFileSet()
	paths, err := fs.Glob(os.DirFS(filepath.Join("..", "..", dir)), "*.go")
	require.NoError(t, err)
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, path, read(t, dir+"/"+path), parser.ParseComments)
		require.NoError(t, err)
		s.files[path] = f
		files = append(files, f)
	}
	s.doc, err = doc.NewFromFiles(set, files, "github.com/puremetal/puremetal/"+dir, doc.PreserveAST)
	require.NoError(t, err)
	functions := func(prefix string, list []*doc.Func) {
		for _, f := range list {
			s.names[prefix+f.Name] = true
		}
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			for _, name := range v.Names {
				s.names[name] = true
			}
		}
	}
	functions("", s.doc.Funcs)
	values(append(s.doc.Consts, s.doc.Vars...))
	for _, typ := range s.doc.Types {
		s.names[typ.Name] = true
		functions("", typ.Funcs)
		functions(typ.Name+".", typ.Methods)
		values(append(typ.Consts, typ.Vars...))
	}
	return s
}

// embedded returns the types that a struct type embeds, those that these embed, and so on, as doc
// links name them.
func (s *source) embedded(name string) (out []string) {
	i := slices.IndexFunc(s.doc.Types, func(t *doc.Type) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	body, ok := s.doc.Types[i].Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType)
	if !ok {
		return nil
	}
	for _, field := range body.Fields.List {
		if len(field.Names) > 0 {
			continue
		}
		switch typ := field.Type.(type) {
		case *ast.Ident:
			out = append(append(out, typ.Name), s.embedded(typ.Name)...)
		case *ast.SelectorExpr:
			out = append(out, typ.X.(*ast.Ident).Name+"."+typ.Sel.Name)
		}
	}
	return out
}

// classes returns the types that wrap Objective-C objects.
func (s *source) classes() (out []*doc.Type) {
	for _, typ := range s.doc.Types {
		if slices.Contains(s.embedded(typ.Name), "objc.Object") {
			out = append(out, typ)
		}
	}
	return out
}

// TestMtlOverview: each theme of the package comment mentions names that exist, and each class and
// protocol is in one theme.
func TestMtlOverview(t *testing.T) {
	mtl, objc := parsePackage(t, "mtl"), parsePackage(t, "objc")
	list, links := overview(t, mtl.doc.Doc)
	for _, link := range links {
		name := strings.TrimPrefix(link, "objc.")
		if name != link {
			assert.True(t, objc.names[name], "[%s] does not exist", link)
			continue
		}
		assert.True(t, mtl.names[name], "[%s] does not exist", link)
	}
	classes := mtl.classes()
	assert.Greater(t, len(classes), 150)
	for _, class := range classes {
		var themes []string
		for _, item := range list {
			if slices.Contains(item, "["+class.Name+"]") {
				themes = append(themes, item[0])
			}
		}
		assert.Len(t, themes, 1, "themes of %s", class.Name)
	}
}

// overview returns the words of each item of the list under the heading Overview, without
// punctuation, and the doc links of the whole comment.
func overview(t *testing.T, text string) (items [][]string, links []string) {
	t.Helper()
	p := comment.Parser{
		LookupPackage: func(name string) (string, bool) { return name, name == "objc" },
		LookupSym:     func(string, string) bool { return true },
	}
	heading := ""
	for _, block := range p.Parse(text).Content {
		switch block := block.(type) {
		case *comment.Heading:
			heading = plain(block.Text, nil)
		case *comment.Paragraph:
			plain(block.Text, &links)
		case *comment.List:
			for _, item := range block.Items {
				words := strings.Fields(plain(item.Content[0].(*comment.Paragraph).Text, &links))
				for i := range words {
					words[i] = strings.TrimRight(words[i], ",.;:")
				}
				if heading == "Overview" {
					items = append(items, words)
				}
			}
		}
	}
	require.NotEmpty(t, items)
	return items, links
}

// plain returns text with its doc links in brackets, and adds these to links.
func plain(text []comment.Text, links *[]string) string {
	var b strings.Builder
	for _, part := range text {
		switch part := part.(type) {
		case comment.Plain:
			b.WriteString(string(part))
		case *comment.DocLink:
			name := plain(part.Text, nil)
			*links = append(*links, name)
			b.WriteString("[" + name + "]")
		}
	}
	return b.String()
}

// TestMtlPromoted: go doc does not list promoted methods, so the comment of each class says where
// they come from.
func TestMtlPromoted(t *testing.T) {
	mtl := parsePackage(t, "mtl")
	for _, class := range mtl.classes() {
		text := strings.Join(strings.Fields(class.Doc), " ")
		_, promoted, found := strings.Cut(text, "also has the methods of ")
		assert.True(t, found, "%s does not say which methods it also has", class.Name)
		for _, name := range mtl.embedded(class.Name) {
			assert.Contains(t, promoted, "["+name+"]", class.Name)
		}
	}
}

// TestMtlSetters: a setter of the generator returns an error only if the message may be missing,
// and a setter written by hand, which checks its arguments, always does.
func TestMtlSetters(t *testing.T) {
	setters := map[bool]int{} // generated or not
	for name, file := range parsePackage(t, "mtl").files {
		generated := ast.IsGenerated(file)
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Recv == nil || !strings.HasPrefix(f.Name.Name, "Set") {
				continue
			}
			setters[generated]++
			fails := false
			if results := f.Type.Results; results != nil {
				last, ok := results.List[len(results.List)-1].Type.(*ast.Ident)
				fails = ok && last.Name == "error"
			}
			if want := !generated || mayBeMissing(f); fails != want {
				t.Errorf("%s: %s: has an error result: %v, want %v", name, f.Name.Name, fails, want)
			}
		}
	}
	assert.Greater(t, setters[true], 400)
	assert.Greater(t, setters[false], 50)
}

// mayBeMissing reports whether a function checks that the running system has the message.
func mayBeMissing(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Check" {
			found = true
		}
		return !found
	})
	return found
}
