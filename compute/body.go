package compute

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/compute/internal/stream"
)

// Body describes a kernel by its body; [FromBody] generates the signature.
type Body struct {
	// Name is the kernel's name; "body" if empty.
	Name string
	// Inputs and Outputs declare the arguments, in the order that launches take them, inputs first:
	//
	//	float x[]           a buffer
	//	float a             a value; as an output, a buffer with at least one element
	//	texture2d<float> t  a texture
	//	sampler s           a sampler
	//
	// The type is one of Metal's, or one that Header declares. The kernel cannot write inputs.
	Inputs, Outputs []string
	// Header is Metal source that precedes the kernel: functions, structures, constants.
	Header string
	// Text is the body. Metal's kernel attributes are available as variables of the same name:
	// positions and sizes, such as thread_position_in_grid, as uint3, and indices and counts, such as
	// thread_index_in_simdgroup, as uint.
	Text string
}

// FromBody returns the kernel of a body. Compiler errors point at the body's own lines, in a file
// of the kernel's name; lines of the header are in "NAME header", and line n of "NAME arguments" is
// the n-th argument.
//
// Equal bodies and options return the same kernel. It lives until the accelerator is closed, so a
// program should not generate bodies that differ from call to call: pass what varies as an
// argument, or as a macro in the options. The options' Includes apply to the header only.
func FromBody(ctx context.Context, a *Accelerator, b Body, o CompileOptions) (*Kernel, error) {
	if err := stream.CheckCall(ctx, "FromBody: the accelerator", a.missing()); err != nil {
		return nil, err
	}
	if b.Name == "" {
		b.Name = "body"
	}
	if o.Name == "" {
		o.Name = b.Name
	}
	source, err := b.source(o)
	if err != nil {
		return nil, err
	}
	o.Includes = nil // expanded
	p, err := a.Compile(ctx, source, o)
	if err != nil {
		return nil, err
	}
	if p, err = a.keep(p.key, p); err != nil {
		return nil, err
	}
	return p.KernelContext(ctx, b.Name)
}

// keep transfers a program to the accelerator, which closes it. If the accelerator already has one
// with the same key, keep closes p and returns that one.
func (a *Accelerator) keep(key any, p *Program) (*Program, error) {
	if err := a.beginCall(); err != nil {
		p.Close()
		return nil, err
	}
	defer a.core.Calls.Done()
	a.keptMu.Lock()
	defer a.keptMu.Unlock()
	if have := a.kept[key]; have != nil {
		p.Close()
		return have, nil
	}
	a.core.RemoveOpen(p)
	if a.kept == nil {
		a.kept = map[any]*Program{}
	}
	a.kept[key] = p
	return p, nil
}

// closeKept closes the programs that the accelerator keeps. No call that could add another is
// running.
func (a *Accelerator) closeKept() {
	for _, p := range a.kept {
		p.drop()
	}
	clear(a.kept)
}

// bodyPatterns are the patterns for the parts of a Body.
var bodyPatterns = sync.OnceValue(func() (p struct{ name, word, declaration, texture *regexp.Regexp }) {
	p.name = regexp.MustCompile(`^[A-Za-z_]\w*$`)
	p.word = regexp.MustCompile(`[A-Za-z_]\w*`)
	p.declaration = regexp.MustCompile(`^\s*([A-Za-z_][\w: ]*?(?:<[\w:<>, ]*>)?)\s+([A-Za-z_]\w*)\s*(\[\s*\])?\s*$`)
	p.texture = regexp.MustCompile(`^(metal::)?(array\s*<\s*(metal::)?)?(texture|depth)(1d|2d|3d|cube|_buffer)`)
	return p
})

// source returns the source of the kernel's program.
func (b *Body) source(o CompileOptions) (string, error) {
	if !bodyPatterns().name.MatchString(b.Name) {
		return "", fmt.Errorf("compute: FromBody: %q is not a valid kernel name: %w", b.Name, ErrOption)
	}
	var parameters []string
	for i, list := range [...][]string{b.Inputs, b.Outputs} {
		for _, d := range list {
			p, err := bodyParameter(d, i == 1)
			if err != nil {
				return "", fmt.Errorf("compute: FromBody: kernel %s: %w", b.Name, err)
			}
			parameters = append(parameters, p)
		}
	}
	for _, word := range slices.Compact(slices.Sorted(slices.Values(
		bodyPatterns().word.FindAllString(b.Header+"\n"+b.Text, -1)))) {
		if t := threadAttribute(word); t != "" {
			parameters = append(parameters, fmt.Sprintf("%s %s [[%s]]", t, word, word))
		}
	}
	header, err := expandIncludes(o.Includes, o.Name+" header", b.Header)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf(`#include <metal_stdlib>
using namespace metal;
%s%s
kernel void %s(
%s%s) {
%s%s
}
`, lineDirective(1, o.Name+" header"), header, b.Name, lineDirective(1, o.Name+" arguments"),
		strings.Join(parameters, ",\n"), lineDirective(1, o.Name), b.Text), nil
}

// bodyParameter returns the parameter for a declaration.
func bodyParameter(declaration string, output bool) (string, error) {
	m := bodyPatterns().declaration.FindStringSubmatch(declaration)
	if m == nil {
		return "", fmt.Errorf("argument %q; want a type and a name, such as \"float x[]\" for a buffer or \"float x\": %w",
			declaration, ErrOption)
	}
	typ, name, buffer := m[1], m[2], m[3] != ""
	switch opaque := typ == "sampler" || bodyPatterns().texture.MatchString(typ); {
	case opaque && buffer:
		return "", fmt.Errorf("argument %q; want an array<%s, N> instead: %w", declaration, typ, ErrOption)
	case opaque:
		return typ + " " + name, nil
	case output && buffer:
		return "device " + typ + " *" + name, nil
	case output:
		return "device " + typ + " &" + name, nil
	case buffer:
		return "device const " + typ + " *" + name, nil
	}
	return "constant " + typ + " &" + name, nil
}

// threadAttribute returns the parameter type of a thread attribute, or "" if the name is not one.
func threadAttribute(name string) string {
	switch name {
	case "thread_position_in_grid", "thread_position_in_threadgroup", "threadgroup_position_in_grid",
		"threads_per_grid", "threads_per_threadgroup", "threadgroups_per_grid", "dispatch_threads_per_threadgroup":
		return "uint3"
	case "thread_index_in_threadgroup", "thread_index_in_simdgroup", "thread_index_in_quadgroup",
		"simdgroup_index_in_threadgroup", "quadgroup_index_in_threadgroup", "simdgroups_per_threadgroup",
		"quadgroups_per_threadgroup", "threads_per_simdgroup", "thread_execution_width",
		"dispatch_simdgroups_per_threadgroup", "dispatch_quadgroups_per_threadgroup":
		return "uint"
	}
	return ""
}
