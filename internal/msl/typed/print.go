package typed

import (
	"fmt"
	"io"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/types"
)

// Print writes the program in a readable form: entry points, globals, functions. It is meant for
// golden files and people; nothing parses it.
func Print(w io.Writer, p *Program) error {
	pr := &printer{}
	for _, v := range p.Globals {
		pr.global(v)
	}
	for _, k := range p.Kernels {
		pr.kernel(k)
	}
	for _, s := range p.Skipped {
		pr.line("skipped %s %s", s.Stage, s.Name)
	}
	for _, f := range p.Functions {
		pr.fn(f)
	}
	_, err := io.WriteString(w, pr.b.String())
	return err
}

type printer struct {
	b      strings.Builder
	indent int
}

func (p *printer) line(format string, args ...any) {
	p.tabs()
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

func (p *printer) tabs() {
	for range p.indent {
		p.b.WriteString("  ")
	}
}

func typeName(t types.Type) string {
	if t == nil {
		return "<nil>"
	}
	return t.String()
}

func (p *printer) global(v *Var) {
	p.tabs()
	fmt.Fprintf(&p.b, "%s %s: %s", v.Kind, v.Name, typeName(v.Type))
	if v.Index >= 0 {
		fmt.Fprintf(&p.b, " index(%d)", v.Index)
	}
	switch {
	case v.Value.IsValid():
		fmt.Fprintf(&p.b, " = %v", v.Value)
	case v.Init != nil:
		p.b.WriteString(" = ")
		p.expr(v.Init)
	}
	p.b.WriteByte('\n')
}

func (p *printer) kernel(k *Kernel) {
	p.tabs()
	fmt.Fprintf(&p.b, "kernel %q %s", k.HostName, k.Func.Linkage)
	if k.MaxThreads != 0 {
		fmt.Fprintf(&p.b, " max_threads(%d)", k.MaxThreads)
	}
	if k.RequiredThreads[0] != 0 {
		fmt.Fprintf(&p.b, " required_threads(%d,%d,%d)", k.RequiredThreads[0], k.RequiredThreads[1], k.RequiredThreads[2])
	}
	if k.Native != "" {
		fmt.Fprintf(&p.b, " native(%q)", k.Native)
	}
	p.b.WriteByte('\n')
	p.indent++
	for _, a := range k.Args {
		p.tabs()
		fmt.Fprintf(&p.b, "arg %s", a.Var.Name)
		if a.Kind == ArgBuiltin {
			fmt.Fprintf(&p.b, " [%s]", a.Builtin)
		} else {
			fmt.Fprintf(&p.b, " %s(%d)", a.Kind, a.Index)
		}
		if a.Count > 1 {
			fmt.Fprintf(&p.b, " count(%d)", a.Count)
		}
		fmt.Fprintf(&p.b, ": %s", typeName(a.Var.Type))
		if a.ByRef {
			p.b.WriteString(" by_ref")
		}
		if a.ReadOnly {
			p.b.WriteString(" read_only")
		}
		if a.Condition != nil {
			fmt.Fprintf(&p.b, " if(%s)", a.Condition.Name)
		}
		p.b.WriteByte('\n')
	}
	for _, v := range k.Constants {
		p.line("constant %s", v.Name)
	}
	for _, v := range k.Threadgroup {
		p.line("threadgroup %s: %s", v.Name, typeName(v.Type))
	}
	p.indent--
}

func (p *printer) fn(f *Func) {
	p.tabs()
	fmt.Fprintf(&p.b, "func %s(", f.Linkage)
	for i, v := range f.Params {
		if i > 0 {
			p.b.WriteString(", ")
		}
		fmt.Fprintf(&p.b, "%s: %s", varName(v), typeName(v.Type))
	}
	fmt.Fprintf(&p.b, ") %s", typeName(f.Result))
	if f.Body == nil {
		p.b.WriteString(" undefined\n")
		return
	}
	p.b.WriteString(" ")
	p.block(f.Body)
	p.b.WriteByte('\n')
}

func varName(v *Var) string {
	if v.Name == "" {
		return fmt.Sprintf("_%d", v.ID)
	}
	return v.Name
}

func (p *printer) block(b *Block) {
	p.b.WriteString("{\n")
	p.indent++
	p.stmts(b.List)
	p.indent--
	p.tabs()
	p.b.WriteString("}")
}

func (p *printer) stmts(list []Stmt) {
	for _, s := range list {
		p.stmt(s)
	}
}

func (p *printer) stmt(s Stmt) {
	p.tabs()
	switch s := s.(type) {
	case *Block:
		p.block(s)
	case *VarDecl:
		fmt.Fprintf(&p.b, "var %s: %s", varName(s.Var), typeName(s.Var.Type))
		if s.Var.Kind != Local {
			fmt.Fprintf(&p.b, " %s", s.Var.Kind)
		}
		if s.Init != nil {
			p.b.WriteString(" = ")
			p.expr(s.Init)
		}
	case *ExprStmt:
		p.expr(s.X)
	case *If:
		p.b.WriteString("if ")
		p.expr(s.Cond)
		p.b.WriteByte(' ')
		p.block(s.Then)
		if s.Else != nil {
			p.b.WriteString(" else ")
			p.block(s.Else)
		}
	case *Loop:
		p.loop(s)
	case *Switch:
		p.b.WriteString("switch ")
		p.expr(s.X)
		p.b.WriteString(" {\n")
		for _, c := range s.Cases {
			p.tabs()
			for _, v := range c.Values {
				fmt.Fprintf(&p.b, "case %v: ", v)
			}
			if c.Default {
				p.b.WriteString("default:")
			}
			p.b.WriteByte('\n')
			p.indent++
			p.stmts(c.Body)
			p.indent--
		}
		p.tabs()
		p.b.WriteString("}")
	case *Break:
		p.b.WriteString("break")
	case *Continue:
		p.b.WriteString("continue")
	case *Discard:
		p.b.WriteString("discard")
	case *Return:
		p.b.WriteString("return")
		if s.X != nil {
			p.b.WriteByte(' ')
			p.expr(s.X)
		}
	default:
		fmt.Fprintf(&p.b, "?%T", s)
	}
	p.b.WriteByte('\n')
}

func (p *printer) loop(s *Loop) {
	p.b.WriteString("loop")
	if s.Unroll != 0 {
		fmt.Fprintf(&p.b, " unroll(%d)", s.Unroll)
	}
	p.b.WriteString(" {\n")
	p.indent++
	if len(s.Init) > 0 {
		p.line("init:")
		p.indent++
		p.stmts(s.Init)
		p.indent--
	}
	if s.Cond != nil {
		p.tabs()
		if s.TestFirst {
			p.b.WriteString("while: ")
		} else {
			p.b.WriteString("until not: ")
		}
		p.expr(s.Cond)
		p.b.WriteByte('\n')
	}
	if s.Post != nil {
		p.tabs()
		p.b.WriteString("post: ")
		p.expr(s.Post)
		p.b.WriteByte('\n')
	}
	p.stmts(s.Body.List)
	p.indent--
	p.tabs()
	p.b.WriteString("}")
}

func (p *printer) list(name string, es []Expr) {
	p.b.WriteString(name)
	p.b.WriteByte('(')
	for i, e := range es {
		if i > 0 {
			p.b.WriteString(", ")
		}
		if e == nil {
			p.b.WriteByte('0')
			continue
		}
		p.expr(e)
	}
	p.b.WriteByte(')')
}

func (p *printer) infix(x Expr, op string, y Expr) {
	p.b.WriteByte('(')
	p.expr(x)
	p.b.WriteString(" " + op + " ")
	p.expr(y)
	p.b.WriteByte(')')
}

func (p *printer) expr(e Expr) {
	switch e := e.(type) {
	case nil:
		p.b.WriteString("<nil>")
	case *Const:
		fmt.Fprintf(&p.b, "%v:%s", e.Value, typeName(e.Typ))
	case *VarRef:
		p.b.WriteString("@" + varName(e.Var))
	case *Load:
		if v, ok := e.X.(*VarRef); ok {
			p.b.WriteString(varName(v.Var))
			return
		}
		p.list("load", []Expr{e.X})
	case *Deref:
		p.b.WriteByte('*')
		p.expr(e.X)
	case *AddrOf:
		p.b.WriteByte('&')
		p.expr(e.X)
	case *Member:
		p.expr(e.X)
		p.b.WriteByte('.')
		p.b.WriteString(fieldName(e.X.Type(), e.Index))
	case *Index:
		p.expr(e.X)
		p.b.WriteByte('[')
		p.expr(e.Index)
		p.b.WriteByte(']')
	case *Swizzle:
		p.expr(e.X)
		p.b.WriteByte('.')
		for _, c := range e.Comps {
			p.b.WriteByte("xyzw"[c&3])
		}
	case *PtrAdd:
		p.infix(e.X, "p+", e.N)
	case *PtrDiff:
		p.infix(e.X, "p-", e.Y)
	case *Unary:
		p.b.WriteString(e.Op.String())
		p.expr(e.X)
	case *Binary:
		p.infix(e.X, e.Op.String(), e.Y)
	case *Logical:
		if e.Or {
			p.infix(e.X, "or", e.Y)
		} else {
			p.infix(e.X, "and", e.Y)
		}
	case *Cond:
		p.list("cond", []Expr{e.C, e.X, e.Y})
	case *Assign:
		p.infix(e.X, "=", e.Y)
	case *CompoundAssign:
		p.infix(e.X, e.Op.String()+"="+"["+typeName(e.OpType)+"]", e.Y)
	case *IncDec:
		name := "inc"
		if e.Dec {
			name = "dec"
		}
		if e.Post {
			name = "post" + name
		}
		p.list(name, []Expr{e.X})
	default:
		p.call(e)
	}
}

func (p *printer) call(e Expr) {
	switch e := e.(type) {
	case *Convert:
		p.list(e.Kind.String()+"<"+typeName(e.Typ)+">", []Expr{e.X})
	case *Compose:
		p.list("compose<"+typeName(e.Typ)+">", e.Elems)
	case *Aggregate:
		p.list("aggregate<"+typeName(e.Typ)+">", e.Elems)
	case *Zero:
		fmt.Fprintf(&p.b, "zero<%s>", typeName(e.Typ))
	case *Construct:
		p.list("new "+e.Ctor.Linkage, e.Args)
	case *Temp:
		p.list("temp", []Expr{e.X})
	case *Call:
		p.list(e.Func.Linkage, e.Args)
	case *Builtin:
		name := e.Fn.Name
		if e.Fast {
			name = "fast::" + name
		}
		if e.Precise {
			name = "precise::" + name
		}
		p.list("%"+name, e.Args)
	case *FuncAddr:
		p.b.WriteString("&" + e.Func.Linkage)
	case *CallPtr:
		p.expr(e.Fn)
		p.list("", e.Args)
	case *Comma:
		p.infix(e.X, ",", e.Y)
	default:
		fmt.Fprintf(&p.b, "?%T", e)
	}
}

func fieldName(t types.Type, i int) string {
	if s, ok := t.(*types.Struct); ok && i < len(s.Fields) && s.Fields[i].Name != "" {
		return s.Fields[i].Name
	}
	return fmt.Sprintf("#%d", i)
}
