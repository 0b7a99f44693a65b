package bindgen

import (
	"cmp"
	gotoken "go/token"
	"slices"
	"strings"
)

// objectMethods are the methods of objc.Object, which every wrapper has.
var objectMethods = []string{"ID", "IsNil", "Word", "Retain", "Release", "Autorelease", "Description", "Class"}

// exported makes the first letter upper case.
func exported(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// unexported makes the leading upper-case word lower case: URL -> url, GPUAddress -> gpuAddress.
func unexported(s string) string {
	n := 0
	for n < len(s) && 'A' <= s[n] && s[n] <= 'Z' {
		n++
	}
	if n > 1 && n < len(s) && !isDigit(s[n]) {
		n--
	}
	return strings.ToLower(s[:n]) + s[n:]
}

// typeName is the Go name of an Objective-C name: MTLBuffer -> Buffer, MTL4CommandQueue ->
// CommandQueue4, NSRange -> Range.
func (c *Config) typeName(name string) string {
	if rest, ok := strings.CutPrefix(name, c.Prefix+"4"); ok {
		return rest + "4"
	}
	if rest, ok := strings.CutPrefix(name, c.Drop); ok && c.Drop != "" && isUpper(rest[0]) {
		return rest // MPSCNNConvolution -> cnn.Convolution
	}
	if rest, ok := strings.CutPrefix(name, c.Prefix); ok {
		return cmpOr(rest, exported(c.Package)) // MPSGraph -> Graph
	}
	return strings.TrimPrefix(name, "NS")
}

// typeLabel is a class method's first label without the word that the package's name says:
// cnnConvolutionDescriptor is ConvolutionDescriptor in package cnn.
func (c *Config) typeLabel(label string) string {
	n := len(c.Drop) - len(c.Prefix)
	if n > 0 && len(label) > n && strings.EqualFold(label[:n], c.Drop[len(c.Prefix):]) && isUpper(label[n]) {
		return label[n:]
	}
	return label
}

func isUpper(b byte) bool { return 'A' <= b && b <= 'Z' }

// memberName is the Go name of an enumeration's member. A member of MTL4Foo gets the 4 where its
// type has it: MTL4CompilerTaskStatusNone -> CompilerTaskStatus4None.
func (c *Config) memberName(e *Enum, member string) string {
	rest, ok := strings.CutPrefix(member, c.Prefix+"4")
	if !ok {
		return c.typeName(member)
	}
	typ := strings.TrimPrefix(e.Name, c.Prefix+"4")
	n := 0
	for n < len(typ) && n < len(rest) && typ[n] == rest[n] {
		n++
	}
	return rest[:n] + "4" + rest[n:]
}

// reserved contains the names that generated bodies use.
var reserved = map[string]bool{"objc": true, "runtime": true, "o": true, "r": true, "w": true, "err": true, "n": true,
	"cls": true, "out": true, "len": true, "min": true, "string": true, "uint": true, "error": true, "cap": true,
	"copy": true, "new": true}

// paramName is the Go name of a parameter.
func paramName(s string) string {
	s = unexported(strings.TrimLeft(s, "_"))
	switch s {
	case "type":
		return "typ"
	case "range":
		return "rng"
	case "func", "function":
		return "fn"
	case "error":
		return "errOut"
	}
	if gotoken.IsKeyword(s) || reserved[s] {
		return s + "_"
	}
	return s
}

// takesBlock reports whether the last parameter is a block: a completion handler.
func (ts *types) takesBlock(m *Method) bool {
	return len(m.Params) > 0 && ts.resolve(m.Params[len(m.Params)-1].Type).Block != nil
}

// nameMethods gives each instance method of a class its Go name. taken maps the names in use, those
// of embedded types included, to the selectors that have them; a name is shared only by the same
// selector. The first label alone is the name of the oldest, synchronous, shortest of the selectors
// that share it; the others add the first label in which they differ.
func (ts *types) nameMethods(c *Config, ms []*Method, renames map[*Method]string, taken map[string]string) (
	map[*Method]string, []string) {
	names := map[*Method]string{}
	var clashes []string
	order := slices.Clone(ms)
	slices.SortStableFunc(order, func(a, b *Method) int {
		return cmp.Or(
			boolCompare(renames[a] == "", renames[b] == ""),
			versionCompare(a.Since, b.Since),
			boolCompare(ts.takesBlock(a), ts.takesBlock(b)),
			cmp.Compare(len(a.Labels()), len(b.Labels())),
			cmp.Compare(a.Selector, b.Selector))
	})
	for _, m := range order {
		name := ""
		for _, cand := range candidates(m, ts.firstName(c, m), renames[m], taken) {
			if s, ok := taken[cand]; !ok || s == m.Selector {
				name = cand
				break
			}
		}
		if name == "" {
			clashes = append(clashes, m.Selector)
			continue
		}
		names[m] = name
		taken[name] = m.Selector
	}
	return names, clashes
}

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

func versionCompare(a, b Version) int {
	switch {
	case b.After(a):
		return -1
	case a.After(b):
		return 1
	}
	return 0
}

// firstName is the Go name of a selector's first label. Two kinds of names differ from Metal's: a
// method that makes a Metal 4 object is named after the object's Go type, so that NewCommandBuffer4
// returns a CommandBuffer4; and an object's error is Err, because a method named Error would make
// the Go type an error.
func (ts *types) firstName(c *Config, m *Method) string {
	first := exported(m.Labels()[0])
	if m.Selector == "error" {
		return "Err"
	}
	made, ok := strings.CutPrefix(first, "New")
	if !ok {
		return first
	}
	made = strings.TrimPrefix(made, c.Prefix+"4")
	for _, typ := range ts.results(m) {
		if plain, ok := strings.CutPrefix(typ, c.Prefix+"4"); ok && strings.HasPrefix(made, plain) {
			return "New" + c.typeName(typ) + strings.TrimPrefix(made, plain)
		}
	}
	return first
}

// results returns the names of the classes of m's result and of its completion handler's arguments.
func (ts *types) results(m *Method) []string {
	out := []CType{m.Ret}
	if ts.takesBlock(m) {
		out = append(out, ts.resolve(m.Params[len(m.Params)-1].Type).Block.Params...)
	}
	var names []string
	for _, t := range out {
		t = ts.resolve(t)
		names = append(names, t.Name)
		for _, protocol := range t.Args {
			names = append(names, protocol.Name)
		}
	}
	return names
}

// candidates lists the names that m may have, best first.
func candidates(m *Method, first, rename string, taken map[string]string) []string {
	if rename != "" {
		return []string{rename}
	}
	labels := m.Labels()
	out := []string{first}
	other := strings.Split(strings.TrimSuffix(taken[first], ":"), ":")
	for i := 1; i < len(labels); i++ {
		if i < len(other) && other[i] == labels[i] {
			continue
		}
		name := first
		for _, l := range labels[i:] {
			name += exported(l)
			out = append(out, name)
		}
	}
	name := first
	for _, l := range labels[1:] {
		name += exported(l)
	}
	return append(out, name)
}
