package translate

import (
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// Objects that need what Metal gives only to kernels get it when they are made, and functors when
// they are called.

const callOperator = "::operator()"

// needy returns the name of a function or class of the library, by which it gets what it needs.
func (l *library) needy(i int) string {
	if l.Function(i) {
		return l.Name(i)
	}
	if _, class := ast.Templated(l.Node(i)).(*ast.RecordDecl); class {
		return l.name + "::" + l.Name(i)
	}
	return ""
}

// classes finds the classes of functions that are operators, and the types of variables.
func (p *program) classes() {
	p.operators, p.varTypes = map[diag.Pos]string{}, map[diag.Pos]types.Type{}
	p.functionNames = map[string]bool{}
	for _, f := range p.functions() {
		p.functionNames[f.Name.Last().Ident] = !f.Ctor
	}
	ast.Inspect(p.trace.File, func(n ast.Node) bool {
		r, ok := n.(*ast.RecordDecl)
		if !ok || r.Name == nil {
			return true
		}
		for _, m := range r.Members {
			if f, ok := ast.Templated(m).(*ast.FuncDecl); ok && f.Name != nil && isCallOperator(f) {
				p.operators[namePos(f)] = r.Name.Last().Ident + callOperator
			}
		}
		return true
	})
	for _, x := range p.trace.Record.Instances {
		if x.Func.Body != nil {
			typed.InspectBlock(x.Func.Body, func(typed.Expr) {}, func(s typed.Stmt) {
				if v, ok := s.(*typed.VarDecl); ok {
					p.varTypes[v.Var.Pos] = v.Var.Type
				}
			})
		}
	}
}

func isCallOperator(f *ast.FuncDecl) bool {
	n := f.Name.Last()
	return n.Kind == ast.PartOperator && n.Op == token.LParen
}

// inputName returns the name by which a function gets what it needs.
func (p *program) inputName(f *ast.FuncDecl) string {
	if isCallOperator(f) {
		if len(f.Name.Parts) > 1 {
			return f.Name.Parts[len(f.Name.Parts)-2].Ident + callOperator
		}
		return p.operators[namePos(f)]
	}
	if n := f.Name.Last(); n.Kind == ast.PartOperator { // which are no names of calls
		return ast.NameString(&ast.Name{Parts: []ast.NamePart{*n}})
	}
	return f.Name.Last().Ident
}

// className returns the name of a class without its namespaces and arguments, but for that of the
// library.
func (p *program) className(t types.Type) string {
	s, ok := t.(*types.Struct)
	if !ok {
		return ""
	}
	var b strings.Builder
	depth := 0
	for _, c := range s.String() {
		switch {
		case c == '<':
			depth++
		case c == '>':
			depth--
		case depth == 0:
			b.WriteRune(c)
		}
	}
	name := b.String()
	if strings.HasPrefix(name, p.library.name+"::") {
		return name
	}
	return name[strings.LastIndex(name, ":")+1:]
}

// madeClass returns the class of which an expression makes an object, or "".
func (p *program) madeClass(x ast.Expr) string {
	if call, ok := x.(*ast.CallExpr); ok {
		f, ok := call.Fun.(*ast.NameExpr)
		if !ok || p.functionNames[f.Name.Last().Ident] {
			return ""
		}
	}
	return p.className(p.trace.Record.Types[x])
}

// varClass returns the class of a variable, or "".
func (p *program) varClass(d *ast.VarDecl) string {
	if d.InitKind != ast.NoInit && len(d.Args) == 0 {
		return ""
	}
	return p.className(p.varTypes[d.Pos()])
}

// convertedClass returns the class of a variable that begins as something of another type, or "".
func (p *program) convertedClass(d *ast.VarDecl) string {
	class := p.className(p.varTypes[d.Pos()])
	if d.InitKind != ast.CopyInit || d.Init == nil || class == "" || isReference(d.Type) ||
		p.className(p.trace.Record.Types[d.Init]) == class {
		return ""
	}
	if _, list := d.Init.(*ast.InitList); list {
		return ""
	}
	return class
}

// calledClass returns the name for what the operator of an object that is called needs, or "".
func (p *program) calledClass(x *ast.CallExpr) string {
	if name := p.className(p.trace.Record.Types[x.Fun]); name != "" {
		return name + callOperator
	}
	return ""
}

// makes hands down what an object of a class needs to the parentheses with its arguments.
func (p *program) makes(class string, args []ast.Expr) {
	if class == "" || len(p.needs[class]) == 0 || len(args) == 0 {
		return
	}
	for i := p.first(args[0]) - 1; i >= 0; i-- {
		if p.list[i].Kind == token.LParen {
			p.handDown(p.tokens, class, i, false, nil)
			return
		}
	}
}

// makesVar is makes for a variable, which may have no parentheses.
func (p *program) makesVar(d *ast.VarDecl) {
	if of := p.convertedClass(d); of != "" && len(p.needs[of]) > 0 && p.first(d.Init) >= 0 {
		end := ", " + strings.Join(p.inputList(of), ", ") + ")"
		p.around(p.first(d.Init), p.last(d.Init), strings.TrimPrefix(p.elemText(d), "const ")+"(", end)
		return
	}
	class := p.varClass(d)
	if len(d.Args) > 0 || class == "" || len(p.needs[class]) == 0 || d.Name == nil || p.last(d.Name) < 0 {
		p.makes(class, d.Args)
		return
	}
	p.after(p.last(d.Name), "("+strings.Join(p.inputList(class), ", ")+")")
}

// inputList returns the arguments for what an object of a class needs.
func (p *program) inputList(class string) (list []string) {
	for _, b := range p.needs[class] {
		list = append(list, p.input(b))
	}
	return list
}
