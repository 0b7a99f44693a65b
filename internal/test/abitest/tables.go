package abitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Tables answers questions about all frameworks together: a class of one may inherit from a class
// of another.
type Tables struct {
	frameworks map[string]*Framework
	classes    map[classKey]*Class // methods of one name from several tables are joined
	structs    map[string]*Struct
	enums      map[string]*Enum
	members    map[string]*Member
	functions  map[string]*Function
	constants  map[string]*Constant
}

type classKey struct{ name, kind string }

// roots declare the methods that every object has, whatever its own table says.
var roots = []classKey{{"NSObject", "class"}, {"NSObject", "protocol"}}

// Load returns the tables, or skips the test if there are none.
func Load(t testing.TB) *Tables {
	t.Helper()
	tables, err := load()
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no ABI tables: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

var load = sync.OnceValues(func() (*Tables, error) {
	dir, err := folder()
	if err != nil {
		return nil, err
	}
	return read(dir)
})

// folder returns where the tables should be.
func folder() (string, error) {
	if shared := os.Getenv("PUREMETAL_SHARED"); shared != "" {
		return filepath.Join(shared, "abi"), nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "..", "shared", "abi"), nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("abitest: no go.mod above the test's folder: %w", fs.ErrNotExist)
		}
		dir = up
	}
}

func read(dir string) (*Tables, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("abitest: %s holds no tables: %w", dir, fs.ErrNotExist)
	}
	tables := &Tables{
		frameworks: make(map[string]*Framework),
		classes:    make(map[classKey]*Class),
		structs:    make(map[string]*Struct),
		enums:      make(map[string]*Enum),
		members:    make(map[string]*Member),
		functions:  make(map[string]*Function),
		constants:  make(map[string]*Constant),
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var f Framework
		if err := json.Unmarshal(text, &f); err != nil {
			return nil, fmt.Errorf("abitest: %s: %w", name, err)
		}
		if f.Schema != 1 {
			return nil, fmt.Errorf("abitest: %s: schema %d, this package reads 1", name, f.Schema)
		}
		tables.add(&f)
	}
	return tables, nil
}

func (tb *Tables) add(f *Framework) {
	tb.frameworks[f.Name] = f
	for i := range f.Classes {
		c := f.Classes[i]
		k := classKey{c.Name, c.Kind}
		if have, ok := tb.classes[k]; ok {
			have.Methods = append(have.Methods, c.Methods...)
			continue
		}
		c.Methods = append([]Method(nil), c.Methods...)
		tb.classes[k] = &c
	}
	for i := range f.Structs {
		tb.structs[f.Structs[i].Name] = &f.Structs[i]
	}
	for i := range f.Enums {
		e := &f.Enums[i]
		tb.enums[e.Name] = e
		for j := range e.Members {
			tb.members[e.Members[j].Name] = &e.Members[j]
		}
	}
	for i := range f.Functions {
		tb.functions[f.Functions[i].Name] = &f.Functions[i]
	}
	for i := range f.Constants {
		tb.constants[f.Constants[i].Name] = &f.Constants[i]
	}
}

// Framework returns a framework's own table, or nil. Classes that other tables extend are listed
// there without the extensions.
func (tb *Tables) Framework(name string) *Framework { return tb.frameworks[name] }

// Class returns the class of a name, else the protocol, or nil.
func (tb *Tables) Class(name string) *Class {
	if c := tb.classes[classKey{name, "class"}]; c != nil {
		return c
	}
	return tb.Protocol(name)
}

// Protocol returns the protocol of a name, or nil.
func (tb *Tables) Protocol(name string) *Class { return tb.classes[classKey{name, "protocol"}] }

// Lineage returns the named class or protocol and all that it inherits from, nearest first. It is
// empty when the tables do not have the name.
func (tb *Tables) Lineage(name string) []*Class {
	if tb.Class(name) == nil {
		return nil
	}
	var all []*Class
	seen := make(map[classKey]bool)
	for _, todo := range [][]classKey{{{name, "class"}, {name, "protocol"}}, roots} {
		for len(todo) > 0 {
			k := todo[0]
			todo = todo[1:]
			c := tb.classes[k]
			if c == nil || seen[k] {
				continue
			}
			seen[k] = true
			all = append(all, c)
			if c.Super != "" {
				todo = append(todo, classKey{c.Super, "class"})
			}
			for _, p := range c.Conforms {
				todo = append(todo, classKey{p, "protocol"})
			}
		}
	}
	return all
}

// Method returns the method that an object of the named class or protocol answers a selector with,
// and who declares it: the class itself, a superclass, or a protocol of either. It returns nil when
// there is none.
func (tb *Tables) Method(class, selector string, classMethod bool) (*Method, *Class) {
	for _, c := range tb.Lineage(class) {
		for i := range c.Methods {
			if m := &c.Methods[i]; m.Selector == selector && m.ClassMethod == classMethod {
				return m, c
			}
		}
	}
	return nil, nil
}

// Struct returns the structure of a name, or nil.
func (tb *Tables) Struct(name string) *Struct { return tb.structs[name] }

// Enum returns the enumeration of a name, or nil.
func (tb *Tables) Enum(name string) *Enum { return tb.enums[name] }

// Member returns the enumeration constant of a name, or nil.
func (tb *Tables) Member(name string) *Member { return tb.members[name] }

// Function returns the C function of a name, or nil.
func (tb *Tables) Function(name string) *Function { return tb.functions[name] }

// Constant returns the global constant of a name, or nil.
func (tb *Tables) Constant(name string) *Constant { return tb.constants[name] }
