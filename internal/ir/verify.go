package ir

import (
	"errors"
	"fmt"
)

// maxVerifyErrors is the maximum number of errors that Verify reports for one function.
const maxVerifyErrors = 20

// VerifyError reports a violated rule of this package.
type VerifyError struct {
	Func  string
	Instr int    // index of the instruction in text order, or -1 if the error is not about one
	Op    Op     // of the instruction
	File  string // of the instruction, if known
	Loc   Loc
	Msg   string
}

func (e *VerifyError) Error() string {
	s := fmt.Sprintf("ir: kernel %q: ", e.Func)
	if e.Instr >= 0 {
		s += fmt.Sprintf("instruction %d (%v): ", e.Instr, e.Op)
	}
	s += e.Msg
	if e.Loc.Line > 0 {
		s += fmt.Sprintf(" (%s:%d:%d)", e.File, e.Loc.Line, e.Loc.Col)
	}
	return s
}

// Verify checks a module and all its functions. The error joins a *VerifyError for each violation,
// up to a limit per function.
func (m *Module) Verify() error { return m.VerifyUntil(func() bool { return false }) }

// VerifyUntil is like Verify, but calls stop before each function and skips the rest once it
// returns true.
func (m *Module) VerifyUntil(stop func() bool) error {
	var errs []error
	for i, g := range m.Globals {
		switch {
		case g == nil:
			errs = append(errs, fmt.Errorf("ir: global %d is missing", i))
		case !validAlign(g.Align):
			errs = append(errs, fmt.Errorf("ir: global %d %q: alignment %d is not a power of two up to 4096", i, g.Name,
				g.Align))
		}
	}
	names := map[string]bool{}
	for i, v := range m.Visible {
		if v.Name == "" || v.Type == "" {
			errs = append(errs, fmt.Errorf("ir: visible function %d has no name or type", i))
		}
	}
	for i, f := range m.Funcs {
		if stop() {
			break
		}
		if f == nil {
			errs = append(errs, fmt.Errorf("ir: function %d is missing", i))
			continue
		}
		if names[f.Name] {
			errs = append(errs, fmt.Errorf("ir: there are two kernels %q", f.Name))
		}
		names[f.Name] = true
		if f.Module != m {
			errs = append(errs, fmt.Errorf("ir: kernel %q belongs to another module", f.Name))
			continue
		}
		errs = append(errs, f.Verify())
	}
	return errors.Join(errs...)
}

func validAlign(a int) bool { return a >= 0 && a <= 4096 && a&(a-1) == 0 }

// Verify checks one function.
func (f *Func) Verify() error {
	n := max(f.NumValues(), 0)
	v := &verifier{f: f, visible: make([]bool, n), defined: make([]*Value, n), resultless: map[*Instr]bool{}, n: -1}
	v.data()
	switch {
	case f.Module == nil:
		v.errorf("does not belong to a module")
	case f.Body == nil:
		v.errorf("has no body")
	case len(f.Body.Params) > 0:
		v.errorf("the body has parameters")
	default:
		v.region(f.Body, nil)
	}
	return errors.Join(v.errs...)
}

type verifier struct {
	f          *Func
	defined    []*Value        // by ID: the value with that ID
	visible    []bool          // by ID
	resultless map[*Instr]bool // instructions without results seen so far; results identify the others
	enclosing  []*Instr        // instructions whose regions are open
	held       map[int64]Type  // by number of a register of lanes
	errs       []error
	found      int    // number of errors, including those not reported
	n          int    // index of in
	in         *Instr // the instruction being checked, or nil
}

func (v *verifier) full() bool { return len(v.errs) >= maxVerifyErrors }

func (v *verifier) errorf(format string, args ...any) {
	if v.found++; v.full() {
		return
	}
	e := &VerifyError{Func: v.f.Name, Instr: -1, Msg: fmt.Sprintf(format, args...)}
	if v.in != nil {
		e.Instr, e.Op, e.Loc = v.n, v.in.Op, v.in.Loc
		if i := int(e.Loc.File) - 1; i >= 0 && v.f.Module != nil && i < len(v.f.Module.Files) {
			e.File = v.f.Module.Files[i]
		}
	}
	v.errs = append(v.errs, e)
}

// define records that a value is defined. An ID must belong to one value.
func (v *verifier) define(x *Value, what string, i int) bool {
	switch {
	case int(x.ID) < 0 || int(x.ID) >= len(v.defined):
		v.errorf("%s %d has ID %d, which the function has not assigned", what, i, x.ID)
		return false
	case v.defined[x.ID] != nil:
		v.errorf("%s %d is defined twice, or has another value's ID", what, i)
		return false
	}
	v.defined[x.ID] = x
	return true
}

// sees reports whether a value is visible here.
func (v *verifier) sees(x *Value) bool {
	return int(x.ID) >= 0 && int(x.ID) < len(v.defined) && v.defined[x.ID] == x && v.visible[x.ID]
}

func (v *verifier) show(x *Value, visible bool) {
	if x != nil && int(x.ID) >= 0 && int(x.ID) < len(v.defined) && v.defined[x.ID] == x {
		v.visible[x.ID] = visible
	}
}

// region checks a region and its contents. It enters only regions whose Owner is the enclosing
// instruction, and only instructions whose Parent is the enclosing region and which it has not seen
// before, so it terminates however the links are set.
func (v *verifier) region(r *Region, owner *Instr) {
	switch {
	case r == nil:
		v.errorf("a region is missing")
		return
	case r.Owner != owner:
		v.errorf("a region has another owner")
		return
	case len(v.enclosing) > MaxNesting:
		v.errorf("regions nest deeper than %d", MaxNesting)
		return
	}
	for i, p := range r.Params {
		switch {
		case p == nil || p.Region != r || p.Def != nil || int(p.Index) != i:
			v.errorf("parameter %d of a region is not one of its own", i)
		case !p.Type.Valid():
			v.errorf("parameter %d of a region has no valid type", i)
		default:
			v.define(p, "parameter", i)
		}
		v.show(p, true)
	}
	outer := v.in
	for i, in := range r.Instrs {
		if v.full() {
			return
		}
		v.n++
		v.in = in
		switch {
		case in == nil:
			v.errorf("an instruction is missing")
			continue
		case in.Parent != r:
			v.errorf("the instruction has another region as its parent")
			continue
		case len(in.Results) == 0 && v.resultless[in]:
			v.errorf("the instruction occurs in two places")
			continue
		case in.Op == OpInvalid || in.Op >= numOps:
			v.errorf("there is no such operation")
			continue
		}
		if len(in.Results) == 0 {
			v.resultless[in] = true
		}
		if last := i == len(r.Instrs)-1; in.Op.Info().Has(Terminator) != last {
			if last {
				v.errorf("the region does not end with a terminator")
			} else {
				v.errorf("a terminator precedes the end of its region")
			}
		}
		v.instr(in)
	}
	v.in = outer
	if len(r.Instrs) == 0 {
		v.errorf("a region is empty: it needs a terminator")
	}
	// Values defined in the region are not visible outside it.
	for _, p := range r.Params {
		v.show(p, false)
	}
	for _, in := range r.Instrs {
		if in != nil {
			for _, res := range in.Results {
				v.show(res, false)
			}
		}
	}
}

// instr checks one instruction and its regions.
func (v *verifier) instr(in *Instr) {
	before := v.found
	for i, a := range in.Args {
		switch {
		case a == nil:
			v.errorf("operand %d is missing", i)
		case !v.sees(a):
			v.errorf("operand %d is not defined here: its definition does not precede it in this or an enclosing region", i)
		}
	}
	fresh := true
	for i, r := range in.Results {
		switch {
		case r == nil || r.Def != in || r.Region != nil || int(r.Index) != i:
			v.errorf("result %d is not one of its own", i)
		case !r.Type.Valid():
			v.errorf("result %d has no valid type", i)
		default:
			fresh = v.define(r, "result", i) && fresh
		}
	}
	if len(in.Results) > 0 && !fresh {
		return
	}
	v.loc(in)
	v.unused(in)
	if v.found == before {
		v.types(in)
	}
	if v.found == before && in.Op.Info().Has(Special) {
		v.special(in)
	}
	if len(in.Regions) == 2 && in.Regions[0] == in.Regions[1] {
		v.errorf("a region occurs in two places")
	} else if len(in.Regions) > 0 && len(in.Regions) <= 2 {
		v.enclosing = append(v.enclosing, in)
		for _, r := range in.Regions {
			v.region(r, in)
		}
		v.enclosing = v.enclosing[:len(v.enclosing)-1]
		v.in = in
	}
	for _, r := range in.Results {
		v.show(r, true)
	}
}

func (v *verifier) loc(in *Instr) {
	if m := v.f.Module; m != nil && int(in.Loc.File) > len(m.Files) {
		v.errorf("source file %d is not one of the module's %d", in.Loc.File, len(m.Files))
	}
	if int(in.Loc.Scope) > len(v.f.Inlined) {
		v.errorf("inlined call %d is not one of the function's %d", in.Loc.Scope, len(v.f.Inlined))
	}
}

// variadic operations have operands that their signature does not list.
func variadic(op Op) bool {
	switch op {
	case OpArg, OpBuild, OpLogMessage, OpLoop, OpYield, OpBreak, OpContinue:
		return true
	}
	return false
}

// types checks operands and results against the signature.
func (v *verifier) types(in *Instr) {
	sig := &signatures()[in.Op]
	if !variadic(in.Op) {
		if len(in.Args) != len(sig.args) {
			v.errorf("has %d operands, want %d", len(in.Args), len(sig.args))
			return
		}
		for i := range sig.args {
			v.term("operand", i, &sig.args[i], in.Args[i].Type, in.Args)
		}
	}
	if in.Op == OpIf || in.Op == OpLoop || in.Op == OpBlock {
		return // any number of results
	}
	if len(in.Results) != len(sig.results) {
		v.errorf("has %d results, want %d", len(in.Results), len(sig.results))
		return
	}
	for i := range sig.results {
		v.term("result", i, &sig.results[i], in.Results[i].Type, in.Args)
	}
}

func (v *verifier) term(what string, i int, t *term, have Type, args []*Value) {
	if want, ok := t.settled(args); ok {
		if have != want {
			v.errorf("%s %d has type %v, want %v", what, i, have, want)
		}
		return
	}
	if !t.given {
		v.errorf("%s %d: the type of operand %d does not allow one", what, i, t.ref)
		return
	}
	if !t.admits(have, args) {
		if t.ref >= 0 && t.ref < len(args) {
			v.errorf("%s %d has type %v, want %s with as many lanes as %v", what, i, have, t.word, args[t.ref].Type)
		} else {
			v.errorf("%s %d has type %v, want %s", what, i, have, t.word)
		}
	}
}
