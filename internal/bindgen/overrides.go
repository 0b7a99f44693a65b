package bindgen

import (
	"fmt"
	"path"
	"strings"

	"github.com/BurntSushi/toml"
)

// Overrides are decisions that cannot be derived from the input. An entry without a reason is an
// error.
type Overrides struct {
	Exclude  []Exclude          `toml:"exclude"`
	Class    []ClassOverride    `toml:"class"`
	Method   []MethodOverride   `toml:"method"`
	Function []FunctionOverride `toml:"function"`
	Constant []ConstantOverride `toml:"constant"`
	Note     []Note             `toml:"note"`
}

// Note adds sentences to comments: what the names do not say, such as shapes and layouts. It
// decides nothing, so it has no reason.
type Note struct {
	// Of are patterns as in [path.Match] for classes, "MPSCNNPooling*", and for methods, which have
	// the class before the selector: "MPSGraph topK*".
	Of   []string `toml:"of"`
	Doc  string   `toml:"doc"`
	used map[string]bool
}

// Exclude omits everything in one declaration file, and everything that needs it, from the
// bindings.
type Exclude struct {
	Group  string `toml:"group"` // the file's name without .decl
	Reason string `toml:"reason"`
	used   bool
}

// ClassOverride changes how a class or protocol is bound.
type ClassOverride struct {
	Name        string `toml:"name"`
	Reason      string `toml:"reason"`
	Handwritten bool   `toml:"handwritten"` // the Go type and its XFrom are written by hand
	Constructor *bool  `toml:"constructor"` // whether NewX is emitted; unset: when the class has a setter
	Doc         string `toml:"doc"`         // sentences that replace the derived one
	Implement   bool   `toml:"implement"`   // of a protocol: programs implement it in Go
	used        bool
}

// MethodOverride changes how a method is bound.
type MethodOverride struct {
	Class       string `toml:"class"`
	Selector    string `toml:"selector"`
	ClassMethod bool   `toml:"class_method"`
	Reason      string `toml:"reason"`
	Rename      string `toml:"rename"` // Go name
	Hidden      bool   `toml:"hidden"` // emitted as function sendClassName: a hand-written method calls it
	Skip        bool   `toml:"skip"`
	Doc         string `toml:"doc"`
	// Check is a Go expression of type error over the parameters and the receiver o. A value that is
	// not nil is an error or a fault of the method, and nothing is sent: Objective-C would raise an
	// exception, which Go cannot catch.
	Check string `toml:"check"`
	// Error gives a method an error result that Objective-C does not have: what would be a fault of
	// the message is returned. A caller cannot mistake its zeros for results.
	Error bool `toml:"error"`
	// Params maps a parameter's name to "[]byte" (memory read or written during the call), to "[]
	// N" (a slice of at least N elements, a Go expression over the other parameters and the
	// receiver o), to "result" (a value written through a pointer becomes a result), or to a Go
	// expression over the other parameters that takes its place: "len(bytes)", "0".
	Params map[string]string `toml:"params"`
	used   bool
}

// FunctionOverride changes how a C function is bound; fields are as in MethodOverride.
type FunctionOverride struct {
	Name   string            `toml:"name"`
	Reason string            `toml:"reason"`
	Rename string            `toml:"rename"`
	Skip   bool              `toml:"skip"`
	Doc    string            `toml:"doc"`
	Params map[string]string `toml:"params"`
	used   bool
}

// ConstantOverride changes how a constant is bound.
type ConstantOverride struct {
	Name   string `toml:"name"`
	Reason string `toml:"reason"`
	Rename string `toml:"rename"`
	Skip   bool   `toml:"skip"`
	used   bool
}

// ParseOverrides parses overrides.toml. It rejects unknown keys, entries without a reason, and two
// entries for one thing.
func ParseOverrides(src string) (*Overrides, error) {
	o := &Overrides{}
	md, err := toml.Decode(src, o)
	if err != nil {
		return nil, fmt.Errorf("overrides: %w", err)
	}
	if u := md.Undecoded(); len(u) > 0 {
		return nil, fmt.Errorf("overrides: unknown key %q", u[0].String())
	}
	seen := map[string]bool{}
	check := func(what, name, reason string) error {
		if strings.TrimSpace(name) == "" {
			return fmt.Errorf("overrides: %s entry without a name", what)
		}
		if strings.TrimSpace(reason) == "" {
			return fmt.Errorf("overrides: %s %s has no reason", what, name)
		}
		if seen[what+" "+name] {
			return fmt.Errorf("overrides: %s %s has two entries", what, name)
		}
		seen[what+" "+name] = true
		return nil
	}
	for _, e := range o.Exclude {
		if err := check("exclude", e.Group, e.Reason); err != nil {
			return nil, err
		}
	}
	for _, e := range o.Class {
		if err := check("class", e.Name, e.Reason); err != nil {
			return nil, err
		}
	}
	for _, e := range o.Method {
		name := e.name()
		if e.Class == "" || e.Selector == "" {
			name = ""
		}
		if err := check("method", name, e.Reason); err != nil {
			return nil, err
		}
	}
	for _, e := range o.Function {
		if err := check("function", e.Name, e.Reason); err != nil {
			return nil, err
		}
	}
	for _, e := range o.Constant {
		if err := check("constant", e.Name, e.Reason); err != nil {
			return nil, err
		}
	}
	for i := range o.Note {
		n := &o.Note[i]
		n.used = map[string]bool{}
		if len(n.Of) == 0 || strings.TrimSpace(n.Doc) == "" {
			return nil, fmt.Errorf("overrides: note %q of %q; it needs both", n.Doc, n.Of)
		}
		for _, pattern := range n.Of {
			if _, err := path.Match(pattern, ""); err != nil {
				return nil, fmt.Errorf("overrides: note of %q: %w", pattern, err)
			}
		}
	}
	return o, nil
}

func (e *MethodOverride) name() string {
	return methodName(&Class{Name: e.Class}, &Method{Selector: e.Selector, ClassMethod: e.ClassMethod})
}

// excluded returns the reason why a concept is excluded, or "".
func (o *Overrides) excluded(group string) string {
	for i := range o.Exclude {
		if o.Exclude[i].Group == group {
			o.Exclude[i].used = true
			return o.Exclude[i].Reason
		}
	}
	return ""
}

func (o *Overrides) class(name string) *ClassOverride {
	for i := range o.Class {
		if o.Class[i].Name == name {
			o.Class[i].used = true
			return &o.Class[i]
		}
	}
	return &ClassOverride{}
}

func (o *Overrides) method(class string, m *Method) *MethodOverride {
	for i := range o.Method {
		e := &o.Method[i]
		if e.Class == class && e.Selector == m.Selector && e.ClassMethod == m.ClassMethod {
			e.used = true
			return e
		}
	}
	return &MethodOverride{}
}

func (o *Overrides) function(name string) *FunctionOverride {
	for i := range o.Function {
		if o.Function[i].Name == name {
			o.Function[i].used = true
			return &o.Function[i]
		}
	}
	return &FunctionOverride{}
}

func (o *Overrides) constant(name string) *ConstantOverride {
	for i := range o.Constant {
		if o.Constant[i].Name == name {
			o.Constant[i].used = true
			return &o.Constant[i]
		}
	}
	return &ConstantOverride{}
}

// notes returns the sentences for a class, or for a method of one, with a space before them.
func (o *Overrides) notes(name string) string {
	text := ""
	for i := range o.Note {
		n := &o.Note[i]
		matches := false
		for _, pattern := range n.Of {
			ok, _ := path.Match(pattern, name) // ParseOverrides has checked the pattern
			if ok && strings.Contains(pattern, " ") == strings.Contains(name, " ") {
				matches, n.used[pattern] = true, true
			}
		}
		if matches {
			text += " " + strings.TrimSpace(n.Doc)
		}
	}
	return text
}

// unused returns the entries that matched nothing, which are mistakes.
func (o *Overrides) unused() []string {
	var out []string
	add := func(used bool, what, name string) {
		if !used {
			out = append(out, what+" "+name)
		}
	}
	for _, e := range o.Exclude {
		add(e.used, "exclude", e.Group)
	}
	for _, e := range o.Class {
		add(e.used, "class", e.Name)
	}
	for _, e := range o.Method {
		add(e.used, "method", e.name())
	}
	for _, e := range o.Function {
		add(e.used, "function", e.Name)
	}
	for _, e := range o.Constant {
		add(e.used, "constant", e.Name)
	}
	for _, n := range o.Note {
		for _, pattern := range n.Of {
			add(n.used[pattern], "note", pattern)
		}
	}
	return out
}
