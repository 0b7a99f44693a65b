package main

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/value"
	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
)

// functionConstants returns the function constants of a step.
func (j *job) functionConstants(s *step) ([]compute.Constant, error) {
	var out []compute.Constant
	for _, o := range s.constants {
		key, val, ok := strings.Cut(o.text, "=")
		if !ok || key == "" {
			return nil, usage("%s %q; want NAME=VALUE or INDEX=VALUE", o.origin, o.text)
		}
		if value.Untyped(val) {
			if typ := j.declaredConstant(key); typ != "" {
				val = typ + ":" + val
			}
		}
		v, err := value.Parse(val, "")
		if err != nil {
			return nil, fmt.Errorf("%v: %w", o, err)
		}
		constant := compute.Constant{Name: key}
		if n, err := strconv.ParseUint(key, 10, 16); err == nil {
			constant = compute.Constant{Index: uint(n)}
		}
		if constant.Value, err = v.Constant(); err != nil {
			return nil, fmt.Errorf("%v: %w", o, err)
		}
		out = append(out, constant)
	}
	return out, nil
}

// declaredConstant returns the type of a function constant in the source, "" if that is unknown.
func (j *job) declaredConstant(key string) string {
	p, _, err := j.compileOwn()
	if err != nil {
		return ""
	}
	for _, k := range p.Constants {
		if key == k.Name || key == strconv.Itoa(k.Index) {
			return constantType(k.Type)
		}
	}
	return ""
}

// checkConstants compares the given constants with those of the source, because Metal ignores
// unknown names. A constant that the source declares but this kernel does not use is fine: a source
// declares them for all its kernels. If this module's compiler rejects the source, Metal decides.
func (j *job) checkConstants(l *launch, kernel string, given []compute.Constant) error {
	p, _, err := j.compileOwn()
	if err != nil {
		return nil
	}
	code, _ := p.Kernel(j.ctx, kernel)
	if code == nil {
		return nil
	}
	have := make(map[int]bool)
	for i, g := range given {
		at := slices.IndexFunc(p.Constants,
			func(k msl.Constant) bool { return g.Name == k.Name || g.Name == "" && int(g.Index) == k.Index })
		if at < 0 {
			return usage("%v: no such function constant; %s has %s", l.constants[i], j.plan.source.text,
				constantNames(p.Constants))
		}
		k := p.Constants[at]
		if want, got := constantType(k.Type), goType(g.Value); want != got {
			return usage("%v: the constant %s is %s, not %s", l.constants[i], k.Name, want, got)
		}
		if have[k.Index] {
			return usage("%v: the constant %s is given twice", l.constants[i], k.Name)
		}
		have[k.Index] = true
	}
	for _, k := range code.Constants {
		if k.Required && !have[k.Index] {
			return l.usage("function constant %s is missing; use %s", k.Name,
				l.entry("--const", "const", fmt.Sprintf("%s=%s:...", k.Name, constantType(k.Data))))
		}
	}
	return nil
}

func constantType(t ir.DataType) string { return strings.ToLower(t.String()) }

func constantNames(known []msl.Constant) string {
	if len(known) == 0 {
		return "none"
	}
	var out []string
	for _, k := range known {
		out = append(out, fmt.Sprintf("%d (%s, %s)", k.Index, k.Name, constantType(k.Type)))
	}
	return strings.Join(out, ", ")
}

// goType returns Metal's name for the type of a constant's value.
func goType(v any) string {
	t, lanes := reflect.TypeOf(v), ""
	if t.Kind() == reflect.Array {
		t, lanes = t.Elem(), strconv.Itoa(t.Len())
	}
	name := t.Name()
	switch name {
	case "Half":
		name = "half"
	case "BFloat16":
		name = "bfloat"
	}
	if known, err := value.ParseType(name); err == nil { // int32 becomes int
		name = known.String()
	}
	return name + lanes
}
