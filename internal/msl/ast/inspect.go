package ast

import "github.com/puremetal/puremetal/internal/msl/token"

// Inspect calls f for n and, if f returns true, for everything below it, in source order. Parts of
// nodes stored by value, such as *[NamePart], *[TemplateArg], *[TemplateParam], *[Base],
// *[CtorInit] and *[Capture], are visited too. The class or enumeration of a [RecordType] or
// [EnumType] is not visited there, because it is among the declarations.
func Inspect(n Node, f func(Node) bool) {
	if n == nil || !f(n) {
		return
	}
	w := walker(f)
	switch n := n.(type) {
	case *File:
		walkAll(w, n.Decls)
	case *Name:
		for i := range n.Parts {
			w.node(&n.Parts[i])
		}
	case *NamePart:
		w.node(n.Type)
		w.args(n.Args)
	case *TemplateArg:
		w.node(n.Type)
		w.node(n.X)
	case *Attr:
		walkAll(w, n.Args)
	case *TemplateParam:
		w.params(n.Params)
		w.node(n.Type)
		w.ident(n.Ident)
		w.node(n.DefaultType)
		w.node(n.Default)
	case *Param:
		walkAll(w, n.Attrs)
		w.node(n.Type)
		w.ident(n.Ident)
		w.node(n.Default)
	case *Base:
		w.node(n.Type)
	case *CtorInit:
		w.name(n.Name)
		walkAll(w, n.Args)
	case *Capture:
		w.node(n.Init)
	case *Enumerator:
		w.ident(n.Ident)
		walkAll(w, n.Attrs)
		w.node(n.Value)
	case TypeExpr:
		w.typ(n)
	case Expr:
		w.expr(n)
	case Stmt:
		w.stmt(n)
	case Decl:
		w.decl(n)
	}
}

type walker func(Node) bool

func (w walker) node(n Node) {
	if n != nil {
		Inspect(n, w)
	}
}

func (w walker) name(n *Name) {
	if n != nil {
		Inspect(n, w)
	}
}

func (w walker) ident(n *Ident) {
	if n != nil {
		w(n)
	}
}

func (w walker) variable(n *VarDecl) {
	if n != nil {
		Inspect(n, w)
	}
}

func (w walker) block(n *BlockStmt) {
	if n != nil {
		Inspect(n, w)
	}
}

func (w walker) args(list []TemplateArg) {
	for i := range list {
		w.node(&list[i])
	}
}

func (w walker) params(list []TemplateParam) {
	for i := range list {
		w.node(&list[i])
	}
}

func walkAll[N Node](w walker, list []N) {
	for _, n := range list {
		Inspect(n, w)
	}
}

func (w walker) typ(n TypeExpr) {
	switch n := n.(type) {
	case *NamedType:
		w.name(n.Name)
	case *ElaboratedType:
		w.name(n.Name)
	case *QualType:
		w.node(n.Elem)
	case *PointerType:
		w.node(n.Elem)
	case *MemberPointerType:
		w.name(n.Class)
		w.node(n.Elem)
	case *ReferenceType:
		w.node(n.Elem)
	case *ArrayType:
		w.node(n.Elem)
		w.node(n.Len)
	case *FuncType:
		w.node(n.Result)
		walkAll(w, n.Params)
		w.node(n.Quals.Noexcept)
		walkAll(w, n.Attrs)
	case *DecltypeType:
		w.node(n.X)
	case *PackType:
		w.node(n.Elem)
	}
}

func (w walker) expr(n Expr) {
	switch n := n.(type) {
	case *NameExpr:
		w.name(n.Name)
	case *ParenExpr:
		w.node(n.X)
	case *UnaryExpr:
		w.node(n.X)
	case *PostfixExpr:
		w.node(n.X)
	case *BinaryExpr:
		w.node(n.X)
		w.node(n.Y)
	case *AssignExpr:
		w.node(n.X)
		w.node(n.Y)
	case *CondExpr:
		w.node(n.Cond)
		w.node(n.Then)
		w.node(n.Else)
	case *CallExpr:
		w.node(n.Fun)
		walkAll(w, n.Args)
	case *ConstructExpr:
		w.node(n.Type)
		walkAll(w, n.Args)
	case *IndexExpr:
		w.node(n.X)
		w.node(n.Index)
	case *MemberExpr:
		w.node(n.X)
		w.name(n.Name)
	case *CastExpr:
		w.node(n.Type)
		w.node(n.X)
	case *InitList:
		walkAll(w, n.Elems)
	case *DesignatedInit:
		w.ident(n.Field)
		w.node(n.Index)
		w.node(n.High)
		w.node(n.X)
	case *SizeofExpr:
		w.node(n.Type)
		w.node(n.X)
	case *SizeofPackExpr:
		w.ident(n.Pack)
	case *NoexceptExpr:
		w.node(n.X)
	case *LambdaExpr:
		for i := range n.Captures {
			w.node(&n.Captures[i])
		}
		w.params(n.Template)
		walkAll(w, n.Params)
		w.node(n.Quals.Noexcept)
		walkAll(w, n.Attrs)
		w.node(n.Result)
		w.block(n.Body)
	case *FoldExpr:
		w.node(n.X)
		w.node(n.Y)
	case *PackExpr:
		w.node(n.X)
	case *TypeValue:
		w.node(n.Type)
	}
}

func (w walker) stmt(n Stmt) {
	switch n := n.(type) {
	case *BlockStmt:
		walkAll(w, n.List)
	case *DeclStmt:
		walkAll(w, n.Decls)
	case *ExprStmt:
		w.node(n.X)
	case *AttrStmt:
		walkAll(w, n.Attrs)
		w.node(n.Stmt)
	case *IfStmt:
		w.node(n.Init)
		w.node(n.Cond)
		w.variable(n.CondVar)
		w.node(n.Then)
		w.node(n.Else)
	case *SwitchStmt:
		w.node(n.Init)
		w.node(n.Cond)
		w.variable(n.CondVar)
		w.block(n.Body)
	case *CaseStmt:
		w.node(n.X)
		w.node(n.High)
	case *ForStmt:
		w.node(n.Init)
		w.node(n.Cond)
		w.variable(n.CondVar)
		w.node(n.Post)
		w.node(n.Body)
	case *RangeForStmt:
		w.node(n.Init)
		w.node(n.Var)
		w.node(n.Range)
		w.node(n.Body)
	case *WhileStmt:
		w.node(n.Cond)
		w.variable(n.CondVar)
		w.node(n.Body)
	case *DoStmt:
		w.node(n.Body)
		w.node(n.Cond)
	case *ReturnStmt:
		w.node(n.X)
	case *LabelStmt:
		w.ident(n.Label)
	case *GotoStmt:
		w.ident(n.Label)
	}
}

func (w walker) decl(n Decl) {
	switch n := n.(type) {
	case *EmptyDecl:
		walkAll(w, n.Attrs)
	case *NamespaceDecl:
		walkAll(w, n.Attrs)
		walkAll(w, n.Path)
		walkAll(w, n.Decls)
	case *NamespaceAlias:
		w.ident(n.Alias)
		w.name(n.Target)
	case *UsingDirective:
		w.name(n.Name)
	case *UsingDecl:
		w.name(n.Name)
	case *AliasDecl:
		w.ident(n.Ident)
		walkAll(w, n.Attrs)
		w.node(n.Type)
	case *TypedefDecl:
		walkAll(w, n.Attrs)
		w.node(n.Type)
		w.ident(n.Ident)
	case *TemplateDecl:
		w.params(n.Params)
		w.node(n.Decl)
	case *ExplicitInstantiation:
		w.node(n.Decl)
	case *RecordDecl:
		walkAll(w, n.Attrs)
		w.name(n.Name)
		for i := range n.Bases {
			w.node(&n.Bases[i])
		}
		walkAll(w, n.Members)
	case *FriendDecl:
		w.node(n.Decl)
		w.node(n.Type)
	case *EnumDecl:
		walkAll(w, n.Attrs)
		w.name(n.Name)
		w.node(n.Underlying)
		walkAll(w, n.Items)
	case *VarDecl:
		walkAll(w, n.Attrs)
		w.node(n.Type)
		w.name(n.Name)
		w.node(n.Bits)
		w.node(n.Init)
		walkAll(w, n.Args)
	case *BindingDecl:
		walkAll(w, n.Attrs)
		w.node(n.Type)
		walkAll(w, n.Names)
		w.node(n.Init)
		walkAll(w, n.Args)
	case *FuncDecl:
		walkAll(w, n.Attrs)
		w.node(n.Result)
		w.name(n.Name)
		walkAll(w, n.Params)
		w.node(n.Quals.Noexcept)
		for i := range n.Inits {
			w.node(&n.Inits[i])
		}
		w.block(n.Body)
	case *StaticAssertDecl:
		w.node(n.Cond)
		if n.Message != nil {
			w.node(n.Message)
		}
	case *LinkageDecl:
		walkAll(w, n.Decls)
	}
}

// HasEffects reports whether the evaluation of an expression may change something: it calls a
// function, assigns, increments or decrements.
func HasEffects(x Expr) (found bool) {
	Inspect(x, func(n Node) bool {
		switch n := n.(type) {
		case *CallExpr, *AssignExpr, *PostfixExpr:
			found = true
		case *UnaryExpr:
			found = found || n.Op == token.PlusPlus || n.Op == token.MinusMinus
		}
		return !found
	})
	return found
}

// IsOperation reports whether an expression is an operator's, such as a comparison, possibly in
// parentheses.
func IsOperation(x Expr) bool {
	switch x := x.(type) {
	case *ParenExpr:
		return IsOperation(x.X)
	case *BinaryExpr, *UnaryExpr:
		return true
	}
	return false
}

// Templated returns what a declaration declares as a template, or the declaration itself.
func Templated(d Decl) Decl {
	if t, ok := d.(*TemplateDecl); ok {
		return t.Decl
	}
	return d
}
