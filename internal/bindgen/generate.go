package bindgen

import (
	"fmt"
	"go/format"
	"io/fs"
	"slices"
	"sort"
	"strings"
)

// Result is the output of a run.
type Result struct {
	Files   map[string][]byte // file name to content
	Soft    map[string][]byte // the same for the software device's package: the data it needs to answer the bindings
	Log     []string          // disagreements between the sources, and decisions worth reviewing
	Skipped []Skip
	Listing []Listed
	Structs map[string]Layout
	Enums   map[string]uint64 // Objective-C name to value
	Counts  Counts
}

// Counts sums up a run.
type Counts struct {
	Classes, Protocols, Methods, Enums, Members, Structs, Functions, Constants, Skipped int
}

// Skip is one thing that is not bound.
type Skip struct{ Name, Reason string }

// Listed is one bound method, in the form used by the ABI comparison.
type Listed struct {
	Class       string `json:"class"`
	Selector    string `json:"selector"`
	ClassMethod bool   `json:"class_method"`
	Encoding    string `json:"encoding"` // on arm64
	// EncodingAMD64 differs where the method takes or returns BOOL, which is a char on Intel.
	EncodingAMD64 string `json:"-"`
	Retained      bool   `json:"returns_retained"`
	Params        int    `json:"params"`
	Since         string `json:"since,omitempty"`
}

// generator holds the state of one run.
type generator struct {
	cfg       *Config
	mod       *Module
	imports   map[string]*generator // the packages that this one imports, by name
	parts     []*generator          // the packages that bind the rest of the framework
	supers    map[string]bool       // the framework's classes with subclasses
	ts        *types
	ov        *Overrides
	res       *Result
	bound     map[string]bool // classes and protocols that get a wrapper
	usedEnums map[string]bool
	names     map[*Method]string
	taken     map[string]map[string]string // Go names of a class's methods, embedded ones included
	files     map[string]*output
	table     []tableEntry
	tableAt   map[string]int
	blocks    map[string]blockHelper
	globals   map[string]string // package-level Go names and their owners
	ctable    []functionEntry
	hand      []tableEntry // methods that the bindings send but the generator omits
}

// tableEntry is one line of zmethods.
type tableEntry struct {
	index string // name of the index constant
	class *Class
	m     *Method
	enc   string
}

// output collects one file.
type output struct {
	b       strings.Builder
	runtime bool
}

func (o *output) printf(format string, args ...any) { fmt.Fprintf(&o.b, format, args...) }

// Generate makes the bindings of cfg's package from darwinkit's sources in kit, its root folder,
// and from inputs, which holds the folders of declarations.
func Generate(cfg *Config, kit, inputs fs.FS) (*Result, error) {
	in := &input{kit: kit, decls: inputs, done: map[string]*generator{}}
	g, err := in.generate(cfg)
	if err != nil {
		return nil, err
	}
	for _, name := range cfg.Parts {
		part, err := in.named(name)
		if err != nil {
			return nil, err
		}
		g.parts = append(g.parts, part)
	}
	return g.res, g.software()
}

// input is what a run reads, and the packages that it has generated.
type input struct {
	kit, decls fs.FS
	done       map[string]*generator // by the package's name
}

// named generates a package once.
func (in *input) named(name string) (*generator, error) {
	if g := in.done[name]; g != nil {
		return g, nil
	}
	cfg, err := ConfigFor(name)
	if err != nil {
		return nil, err
	}
	in.done[name], err = in.generate(cfg)
	return in.done[name], err
}

func (in *input) generate(cfg *Config) (*generator, error) {
	kit, inputs := in.kit, in.decls
	sub, err := fs.Sub(kit, cfg.Kit)
	if err != nil {
		return nil, err
	}
	k, err := ReadKit(sub, cfg.Prefix)
	if err != nil {
		return nil, err
	}
	decls, err := readDecls(inputs, cfg.Decl, cfg.Framework)
	if err != nil {
		return nil, err
	}
	src, err := fs.ReadFile(inputs, cfg.Decl+"/overrides.toml")
	if err != nil {
		return nil, err
	}
	ov, err := ParseOverrides(string(src))
	if err != nil {
		return nil, err
	}
	supers, err := in.forget(k, cfg)
	if err != nil {
		return nil, err
	}
	mod, log, err := Merge(k, decls, ov)
	if err != nil {
		return nil, err
	}
	imports := map[string]*generator{}
	for _, name := range cfg.Imports {
		if imports[name], err = in.named(name); err != nil {
			return nil, err
		}
	}
	g := &generator{
		cfg: cfg, mod: mod, ts: newTypes(mod), ov: ov, imports: imports,
		res:   &Result{Files: map[string][]byte{}, Log: log, Structs: map[string]Layout{}, Enums: map[string]uint64{}},
		bound: map[string]bool{}, usedEnums: map[string]bool{}, names: map[*Method]string{},
		taken: map[string]map[string]string{},
		files: map[string]*output{}, tableAt: map[string]int{}, blocks: map[string]blockHelper{},
		globals: map[string]string{}, supers: supers,
	}
	for _, c := range mod.Classes {
		g.supers[c.Super] = true
	}
	g.importTypes()
	if err := g.run(); err != nil {
		return nil, err
	}
	return g, nil
}

func (g *generator) run() error {
	g.scope()
	for _, c := range g.classOrder() {
		if err := g.class(c); err != nil {
			return err
		}
	}
	steps := []func() error{g.functions, g.constants, g.opaques, g.structs, g.enums, g.blockFile, g.tables, g.support}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	if u := g.ov.unused(); len(u) > 0 {
		return fmt.Errorf("overrides: %s: matches nothing", u[0])
	}
	for name, o := range g.files {
		if o.b.Len() == 0 {
			continue // a concept that this framework does not have
		}
		src, err := g.file(o)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		g.res.Files[name] = src
	}
	g.skippedFile()
	return nil
}

// out returns the file of a concept.
func (g *generator) out(group string) *output {
	name := "z" + group + ".go"
	if g.files[name] == nil {
		g.files[name] = &output{}
	}
	return g.files[name]
}

// header is the first line of every generated file.
const header = "// Code generated by bindgen. DO NOT EDIT.\n"

func (g *generator) file(o *output) ([]byte, error) {
	var b strings.Builder
	b.WriteString(header + "\npackage " + g.cfg.Package + "\n")
	text := o.b.String()
	var imports []string
	if strings.Contains(text, "fmt.Errorf(") {
		imports = append(imports, `"fmt"`)
	}
	if o.runtime {
		imports = append(imports, `"runtime"`)
	}
	if strings.Contains(text, "strconv.") {
		imports = append(imports, `"strconv"`)
	}
	if strings.Contains(text, "strings.IndexByte(") {
		imports = append(imports, `"strings"`)
	}
	var own []string
	for _, name := range sortedKeys(g.imports) {
		if usesPackage(text, name) {
			own = append(own, `"`+modulePath+"/"+g.imports[name].cfg.Dir()+`"`)
		}
	}
	if d := g.cfg.Driver; d != "" && strings.Contains(text, "driver.Register") {
		own = append(own, `"`+modulePath+"/"+d+`"`)
	}
	slices.Sort(own)
	if strings.Contains(text, "objc.") {
		own = append(own, `"`+modulePath+`/objc"`)
	}
	if len(own) > 0 {
		imports = append(append(imports, ""), own...)
	}
	if len(imports) > 0 && imports[0] == "" {
		imports = imports[1:]
	}
	if len(imports) == 1 {
		b.WriteString("\nimport " + imports[0] + "\n")
	} else if len(imports) > 1 {
		b.WriteString("\nimport (\n\t" + strings.Join(imports, "\n\t") + "\n)\n")
	}
	b.WriteString(text)
	src, err := format.Source([]byte(b.String()))
	if err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, numbered(b.String()))
	}
	return src, nil
}

const modulePath = "github.com/puremetal/puremetal"

func numbered(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = fmt.Sprintf("%5d %s", i+1, lines[i])
	}
	return strings.Join(lines, "\n")
}

// global claims a package-level Go name.
func (g *generator) global(name, owner string) error {
	if o, ok := g.globals[name]; ok && o != owner {
		return fmt.Errorf("%s and %s would both be called %s: one needs a rename in overrides.toml", o, owner, name)
	}
	g.globals[name] = owner
	return nil
}

func (g *generator) skip(name, reason string) {
	g.res.Skipped = append(g.res.Skipped, Skip{name, reason})
	g.res.Counts.Skipped++
}

// skippedFile lists what is not bound and why.
func (g *generator) skippedFile() {
	slices.SortFunc(g.res.Skipped, func(a, b Skip) int { return strings.Compare(a.Name, b.Name) })
	var b strings.Builder
	b.WriteString("Generated by bindgen: the parts of " + g.cfg.Framework + " that are not bound, with the reasons.\n\n")
	width := 0
	for _, s := range g.res.Skipped {
		width = max(width, min(len(s.Name), 70))
	}
	for _, s := range g.res.Skipped {
		fmt.Fprintf(&b, "%-*s  %s\n", width, s.Name, s.Reason)
	}
	g.res.Files["zskipped.txt"] = []byte(b.String())
}

// sortedKeys returns a map's keys in order.
func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
