package translate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/check"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// A variable of a block in a function is one of the kernel in the text, which hands it down. In a
// template each instance has its own. A kernel that reaches one instance has one variable; if the
// instances have several types it is memory for the largest of them, which the function gives the
// type. A kernel that reaches several instances has a variable for each, and calls say which.

// outermost returns the functions around functions: a lambda's is that in which it is.
func (p *program) outermost() map[*typed.Func]*check.Instance {
	list := map[*typed.Func]*check.Instance{}
	for _, x := range p.trace.Record.Instances {
		list[x.Func] = x
	}
	around := map[*typed.Func]*check.Instance{}
	for f, x := range list {
		for i := 0; x.Within != nil && list[x.Within] != nil && i < 64; i++ {
			x = list[x.Within]
		}
		around[f] = x
	}
	return around
}

// blockVariable notes a variable of a block in a function of a name.
func (p *program) blockVariable(name string, f *check.Instance, v *typed.Var) *deviceInput {
	key := varInput(v.Pos)
	in := p.variables[key]
	if in == nil {
		in = &deviceInput{name: p.fresh(name + "_" + v.Name), v: v, users: map[string]bool{},
			instances: map[string]*typed.Var{}, holders: map[*check.Instance]string{}}
		p.setBlockType(in)
		p.variables[key] = in
	}
	in.users[name] = true
	if p.trace.Record.Reached[f.Func] {
		in.instances[f.Args], in.holders[f] = v, f.Args
		in.untyped = in.untyped || in.v.Type != v.Type
	}
	return in
}

func (p *program) setBlockType(in *deviceInput) {
	of := types.Qualified{Type: in.v.Type, Space: types.Threadgroup}
	in.typ = types.Qualified{Type: p.trace.Record.Program.Universe.Reference(of, false)}
}

// blockInstances decides how templates get the variables of their instances.
func (p *program) blockInstances() {
	var keys []string
	for key, in := range p.variables {
		if len(in.instances) > 1 {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	if len(keys) == 0 {
		return
	}
	calls := p.callGraph()
	for _, key := range keys {
		in := p.variables[key]
		if in.untyped {
			in.param = "threadgroup metal::uint4 *" + in.name
		}
		if p.severalIn(in, calls) {
			p.eachInstance(key, in, calls)
		}
	}
}

// callee is a function that another calls.
type callee struct {
	at diag.Pos
	f  *check.Instance
}

// callGraph returns the functions that functions call, those in lambdas with those of the function
// around.
func (p *program) callGraph() map[*check.Instance][]callee {
	d := p.device
	calls := map[*check.Instance][]callee{}
	for _, x := range p.trace.Record.Instances {
		from := d.around[x.Func]
		for at, list := range p.callsOf(x) {
			for _, f := range list {
				if to := d.around[f]; to != nil && to != from {
					calls[from] = append(calls[from], callee{at, to})
				}
			}
		}
	}
	return calls
}

// severalIn reports whether a kernel reaches several instances of a variable. It notes how much
// memory kernels need for one.
func (p *program) severalIn(in *deviceInput, calls map[*check.Instance][]callee) bool {
	several := false
	in.sizes = map[*ast.FuncDecl]int{}
	for f := range p.device.around {
		kernel := p.device.around[f]
		if kernel.Func != f || kernel.Decl.Spec.Stage != ast.Kernel {
			continue
		}
		seen, args := map[*check.Instance]bool{kernel: true}, map[string]bool{}
		for next := []*check.Instance{kernel}; len(next) > 0; {
			x := next[len(next)-1]
			next = next[:len(next)-1]
			if a, ok := in.holders[x]; ok {
				args[a] = true
				in.sizes[kernel.Decl] = max(in.sizes[kernel.Decl], in.instances[a].Type.Size())
			}
			for _, c := range calls[x] {
				if !seen[c.f] {
					seen[c.f] = true
					next = append(next, c.f)
				}
			}
		}
		several = several || len(args) > 1
	}
	return several
}

// blockMemory declares memory of some bytes in a kernel.
func blockMemory(name string, size int) string {
	return fmt.Sprintf("threadgroup metal::uint4 %s[%d];", name, (max(size, 1)+15)/16)
}

// eachInstance makes a variable of its own for each instance. A call must say which it wants.
func (p *program) eachInstance(key string, in *deviceInput, calls map[*check.Instance][]callee) {
	in.each = map[diag.Pos]string{}
	own := map[string]string{}
	for i, args := range slices.Sorted(maps.Keys(in.instances)) {
		v := in.instances[args]
		x := &deviceInput{name: p.fresh(fmt.Sprintf("%s_%d", in.name, i+1)), v: v, users: map[string]bool{}}
		p.setBlockType(x)
		if in.untyped {
			x.param, x.local = "threadgroup metal::uint4 *"+x.name, blockMemory(x.name, v.Type.Size())
		}
		own[args] = fmt.Sprintf("%s#%04d", key, i)
		p.variables[own[args]] = x
	}
	hands := map[*ast.FuncDecl]bool{} // functions that hand on what they get
	for p.handOn(in, calls, hands) {
	}
	for from, list := range calls {
		for _, c := range list {
			args, ok := in.holders[c.f]
			switch {
			case !ok:
			case hands[from.Decl]:
				in.each[c.at] = key
			default:
				in.each[c.at] = own[args]
				p.variables[own[args]].users[from.Decl.Name.Last().Ident] = true
			}
		}
	}
}

// handOn finds templates whose instances call those of another with different variables at one
// place. Such an instance gets its variable as those do that it calls. It reports whether there was
// one more.
func (p *program) handOn(in *deviceInput, calls map[*check.Instance][]callee, hands map[*ast.FuncDecl]bool) bool {
	sites := map[diag.Pos]string{}
	for from, list := range calls {
		for _, c := range list {
			args, ok := in.holders[c.f]
			if !ok || hands[from.Decl] {
				continue
			}
			_, holds := in.holders[from]
			same := in.users[from.Decl.Name.Last().Ident] && !holds // whose name calls give it the variable too
			if old, seen := sites[c.at]; !same && (!seen || old == args) {
				sites[c.at] = args
				continue
			}
			hands[from.Decl] = true
			in.users[from.Decl.Name.Last().Ident] = true
			for x, list := range calls {
				if x.Decl != from.Decl {
					continue
				}
				for _, c := range list {
					args, ok := in.holders[c.f]
					if old, has := in.holders[x]; ok && has && old != args {
						p.refuseSeveral(in, c.at)
					}
					if ok {
						in.holders[x] = args
					}
				}
			}
			return true
		}
	}
	return false
}

func (p *program) refuseSeveral(in *deviceInput, at diag.Pos) {
	x := p.files.Position(at)
	p.refuse(Refusal{File: x.File, Line: x.Line, Column: x.Column, Code: diag.DialectFeature,
		Reason: "a function that reaches several instances of '" + in.v.Name + "', a variable of a block in a " +
			"template, and is itself a template, has no text: declare the variable in the kernel and hand it down"})
}

// eachNeeds adds the variables that calls choose to what functions need.
func (p *program) eachNeeds() {
	for _, key := range slices.Sorted(maps.Keys(p.variables)) {
		if in := p.variables[key]; in.each != nil {
			for name := range in.users {
				p.needs[name] = append(p.needs[name], key)
			}
		}
	}
}

// eachInput returns the variable that the call with a parenthesis at i wants.
func (p *program) eachInput(in *deviceInput, t *tokens, i int) string {
	if key, ok := in.each[p.site]; ok && t == p.tokens {
		return p.variables[key].name
	}
	at := p.files.Position(t.list[i].Pos)
	p.unwritten = fmt.Errorf("%v: a call that does not say which '%s' it wants", at, in.v.Name)
	return in.name
}

// typedBlock declares the variable of a function in the memory that it gets.
func (p *program) typedBlock(d *ast.VarDecl, in *deviceInput) string {
	typ, name := p.elemText(d), d.Name.Last().Ident
	from, to := p.last(d.Name)+1, p.last(d)
	if to >= from && p.list[to].Kind == token.Semi {
		to--
	}
	if typ == "" || strings.Contains(typ, "*") {
		p.unwritten = fmt.Errorf("%v: no text for the type of '%s'", p.files.Position(d.Pos()), name)
	}
	if to < from {
		return fmt.Sprintf("threadgroup %s &%s = *(threadgroup %[1]s *)%[3]s;", typ, name, in.name)
	}
	return fmt.Sprintf("threadgroup %s (&%s)%s = *(threadgroup %[1]s (*)%[3]s)%[4]s;", typ, name,
		p.sharedText(from, to), in.name)
}
