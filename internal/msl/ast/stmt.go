package ast

type (
	// BadStmt stands for a statement that could not be read.
	BadStmt struct{ Span }

	// EmptyStmt is a lone semicolon.
	EmptyStmt struct{ Span }

	// BlockStmt is { List }. Implicit is set where no braces stood: around a label and its statement
	// where one statement is expected.
	BlockStmt struct {
		Span
		List     []Stmt
		Implicit bool
	}

	// DeclStmt is a declaration in a block: all declarators of it.
	DeclStmt struct {
		Span
		Decls []Decl
	}

	// ExprStmt is an expression and a semicolon.
	ExprStmt struct {
		Span
		X Expr
	}

	// AttrStmt is a statement with attributes before it: [[unroll]] for (...) ..., or the lone
	// [[fallthrough]];.
	AttrStmt struct {
		Span
		Attrs []*Attr
		Stmt  Stmt
	}

	// IfStmt is if (Init; Cond) Then else Else. Either Cond or CondVar is set.
	IfStmt struct {
		Span
		Constexpr bool
		Init      Stmt     // or nil
		Cond      Expr     // or nil
		CondVar   *VarDecl // or nil
		Then      Stmt
		Else      Stmt // or nil
	}

	// SwitchStmt is switch (Init; Cond) Body. The labels are statements of Body.
	SwitchStmt struct {
		Span
		Init    Stmt     // or nil
		Cond    Expr     // or nil
		CondVar *VarDecl // or nil
		Body    *BlockStmt
	}

	// CaseStmt is the label case X: or case X ... High: or, with a nil X, default: . It is a statement
	// of its own and stands in a block's list before what it labels.
	CaseStmt struct {
		Span
		X, High Expr
	}

	// ForStmt is for (Init; Cond; Post) Body.
	ForStmt struct {
		Span
		Init    Stmt     // a DeclStmt, ExprStmt or EmptyStmt
		Cond    Expr     // or nil
		CondVar *VarDecl // or nil
		Post    Expr     // or nil
		Body    Stmt
	}

	// RangeForStmt is for (Init; Var : Range) Body.
	RangeForStmt struct {
		Span
		Init  Stmt // or nil
		Var   Decl // a *VarDecl or *BindingDecl
		Range Expr
		Body  Stmt
	}

	// WhileStmt is while (Cond) Body.
	WhileStmt struct {
		Span
		Cond    Expr     // or nil
		CondVar *VarDecl // or nil
		Body    Stmt
	}

	// DoStmt is do Body while (Cond);
	DoStmt struct {
		Span
		Body Stmt
		Cond Expr
	}

	// BreakStmt is break;
	BreakStmt struct{ Span }

	// ContinueStmt is continue;
	ContinueStmt struct{ Span }

	// ReturnStmt is return X; where X may be nil or an InitList.
	ReturnStmt struct {
		Span
		X Expr
	}

	// LabelStmt is Label: before a statement. MSL has no goto: it is kept for the diagnostic's sake.
	LabelStmt struct {
		Span
		Label *Ident
	}

	// GotoStmt is goto Label; which MSL does not have.
	GotoStmt struct {
		Span
		Label *Ident
	}
)

func (*BadStmt) stmtNode()      {}
func (*EmptyStmt) stmtNode()    {}
func (*BlockStmt) stmtNode()    {}
func (*DeclStmt) stmtNode()     {}
func (*ExprStmt) stmtNode()     {}
func (*AttrStmt) stmtNode()     {}
func (*IfStmt) stmtNode()       {}
func (*SwitchStmt) stmtNode()   {}
func (*CaseStmt) stmtNode()     {}
func (*ForStmt) stmtNode()      {}
func (*RangeForStmt) stmtNode() {}
func (*WhileStmt) stmtNode()    {}
func (*DoStmt) stmtNode()       {}
func (*BreakStmt) stmtNode()    {}
func (*ContinueStmt) stmtNode() {}
func (*ReturnStmt) stmtNode()   {}
func (*LabelStmt) stmtNode()    {}
func (*GotoStmt) stmtNode()     {}
