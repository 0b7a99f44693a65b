package generate

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
)

// method launches a kernel.
type method struct {
	Name, Bind string
	Kernel     string
	Index      int    // among the kernels
	Doc        string // the arguments, as lines of a comment
	Params     []param
	Uses       bool // takes buffers that the kernel accesses through pointers
}

// param is a parameter of a method, or an argument that the method makes itself.
type param struct {
	Name, Type string
	Value      string // the argument of a launch
	Given      string // the condition for it to be passed; "" always
}

// maxLine is the width of a method's parameters from which they are on lines of their own.
const maxLine = 90

// Signature writes the parameters: those before, and those that callers give for the kernel.
func (m *method) Signature(before string) string {
	var lines []string
	for _, p := range m.Params {
		if p.Name != "" {
			lines = appendFilled(lines, p.Name+" "+p.Type)
		}
	}
	if m.Uses {
		lines = appendFilled(lines, "uses ...any")
	}
	if len(lines) == 0 || len(lines) == 1 && len(before)+len(lines[0]) < maxLine {
		return strings.Join(append([]string{before}, lines...), ", ")
	}
	return before + ",\n" + strings.Join(lines, ",\n")
}

// appendFilled appends words to the last line that has room for them.
func appendFilled(lines []string, words string) []string {
	if n := len(lines) - 1; n >= 0 && len(lines[n])+len(words) < maxLine {
		lines[n] += ", " + words
		return lines
	}
	return append(lines, words)
}

// Given writes what callers have given, the grid first.
func (m *method) Given(grid string) string {
	list := []string{grid}
	for _, p := range m.Params {
		if p.Name != "" {
			list = append(list, p.Name)
		}
	}
	if m.Uses {
		list = append(list, "uses...")
	}
	return strings.Join(list, ", ")
}

// Optional reports whether arguments may be left out.
func (m *method) Optional() bool {
	for _, p := range m.Params {
		if p.Given != "" {
			return true
		}
	}
	return m.Uses
}

// Always writes the arguments that every launch has.
func (m *method) Always() string {
	var list []string
	for _, p := range m.Params {
		if p.Given == "" {
			list = append(list, p.Value)
		}
	}
	return strings.Join(list, ", ")
}

// kernel adds the methods of a kernel.
func (f *file) kernel(k *msl.Kernel) error {
	m := &method{Kernel: cmp.Or(f.Names[k.Name], k.Name), Index: len(f.Methods)}
	taken := bodyNames()
	for name := range strings.SplitSeq(f.Grid().Names, ", ") {
		taken[name] = true
	}
	for i := range k.Args {
		a := &k.Args[i]
		p, err := f.param(a)
		var no noLaunch
		switch {
		case errors.As(err, &no):
			f.Skipped = append(f.Skipped, Skipped{k.Name, no.Error()})
			return nil
		case err != nil:
			return fmt.Errorf("kernel %s, %s: %w", k.Name, a.Name, err)
		}
		if p.Type != "" {
			name := a.Name
			if name == "" {
				name = fmt.Sprintf("%s%d", a.Kind, a.Index)
			}
			p.Name = local(taken, name)
		}
		p.place(a)
		m.Params = append(m.Params, p)
		m.Uses = m.Uses || a.ArgumentBuffer
	}
	m.Doc = f.doc(m, k)
	m.Name = unique(f.methodNames, exported(k.Name))
	m.Bind = unique(f.methodNames, "Bind"+m.Name)
	f.Methods = append(f.Methods, m)
	return nil
}

// noLaunch is why package compute cannot launch a kernel.
type noLaunch string

func (e noLaunch) Error() string { return string(e) + ", which package compute cannot set" }

// maxValue is how many bytes package compute passes by value.
const maxValue = 4096

// param returns the parameter for an argument. Its Type is empty if the source says everything.
func (f *file) param(a *ir.Arg) (param, error) {
	conditional := a.Condition != "" || a.Computed != ""
	switch a.Kind {
	case ir.ArgTexture:
		if a.Count > 0 {
			return param{Type: "[]compute.AnyTexture", Value: "compute.Textures(%s...)"}, nil
		}
		return param{Type: "compute.AnyTexture", Value: "%s"}, nil
	case ir.ArgSampler:
		if a.Count > 0 {
			return param{Type: "[]*compute.Sampler", Value: "compute.Samplers(%s...)"}, nil
		}
		return param{Type: "*compute.Sampler", Value: "%s"}, nil
	case ir.ArgThreadgroup:
		if a.Reference && a.Size > 0 && !conditional {
			return param{Value: fmt.Sprintf("compute.ThreadgroupMemory(%d)", a.Size)}, nil
		}
		return param{Type: "compute.ThreadgroupMemory", Value: "%s"}, nil
	case ir.ArgBuffer:
	default:
		return param{}, noLaunch(fmt.Sprintf("%s is a %s", a.Name, strings.ReplaceAll(string(a.Kind), "_", " ")))
	}
	if a.Size == 0 {
		return param{Type: "compute.AnyBuffer", Value: "%s"}, nil
	}
	t, err := f.goType(described{a.Type, a.Data, a.Size, a.Array, a.Struct, nil})
	switch {
	case errors.Is(err, errNoType):
		return param{Type: "*compute.Buffer[byte]", Value: "%s"}, nil
	case err != nil:
		return param{}, err
	case a.Reference && a.Space == "constant" && a.Size <= maxValue && !conditional:
		return param{Type: t.name, Value: "%s"}, nil
	case a.Reference && a.Space == "constant" && a.Size <= maxValue:
		return param{Type: "*" + t.name, Value: "*%s"}, nil
	}
	return param{Type: "*compute.Buffer[" + t.name + "]", Value: "%s"}, nil
}

// place completes the argument of a launch.
func (p *param) place(a *ir.Arg) {
	if p.Name != "" {
		p.Value = fmt.Sprintf(p.Value, p.Name)
	}
	p.Value = fmt.Sprintf("compute.At(%d, %s)", a.Index, p.Value)
	if a.Condition == "" && a.Computed == "" {
		return
	}
	p.Given = p.Name + " != nil"
	if a.Kind == ir.ArgThreadgroup {
		p.Given = p.Name + " != 0"
	}
}

// doc lists the arguments.
func (f *file) doc(m *method, k *msl.Kernel) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	for i, p := range m.Params {
		if p.Name == "" {
			continue
		}
		a := &k.Args[i]
		kind := string(a.Kind)
		if a.Kind == ir.ArgThreadgroup {
			kind = "threadgroup memory"
		}
		fmt.Fprintf(w, "//\t%s\t%s %d\t%s\n", p.Name, kind, a.Index, strings.Join(about(a), ", "))
	}
	if m.Uses {
		fmt.Fprintf(w, "//\tuses\t\tcompute.Reads and compute.Writes of the buffers that pointers refer to\n")
	}
	if err := w.Flush(); err != nil {
		panic(err) // a strings.Builder has none
	}
	return b.String()
}

// about describes an argument.
func about(a *ir.Arg) (out []string) {
	switch a.Kind {
	case ir.ArgBuffer:
		text := a.Space + " " + a.Type
		if !a.Reference {
			text += " *"
		} else {
			text += " &"
		}
		out = append(out, text)
	case ir.ArgTexture:
		out = append(out, a.Type)
	case ir.ArgThreadgroup:
		out = append(out, "bytes for "+a.Type)
	}
	if a.Count > 0 {
		out = append(out, fmt.Sprintf("an array of %d", a.Count))
	}
	switch a.Access {
	case "write":
		out = append(out, "written")
	case "read_write":
		out = append(out, "read and written")
	}
	switch {
	case a.Condition != "":
		out = append(out, "nil unless "+a.Condition)
	case a.Computed != "":
		out = append(out, "nil unless "+a.Computed)
	}
	return out
}
