package ast

import (
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

type (
	// BadStmt stands for a statement that could not be parsed.
	BadStmt struct{ Span }

	// EmptyStmt is a lone semicolon.
	EmptyStmt struct{ Span }

	// BlockStmt is { List }. Implicit is set for a block without braces, around a label and its
	// statement where one statement is expected.
	BlockStmt struct {
		Span
		List     []Stmt
		Implicit bool
		Math     token.Flags // SafeMath or FastMath, by a pragma
	}

	// DeclStmt is a declaration in a block, with all its declarators.
	DeclStmt struct {
		Span
		Decls []Decl
	}

	// ExprStmt is an expression and a semicolon.
	ExprStmt struct {
		Span
		X Expr
	}

	// AttrStmt is a statement preceded by attributes: [[unroll]] for (...) ..., or just
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
		ElsePos   diag.Pos // of the word else
		Else      Stmt     // or nil
	}

	// SwitchStmt is switch (Init; Cond) Body. Case labels are statements in Body.
	SwitchStmt struct {
		Span
		Init    Stmt     // or nil
		Cond    Expr     // or nil
		CondVar *VarDecl // or nil
		Body    *BlockStmt
	}

	// CaseStmt is the label case X: or case X ... High: or, with a nil X, default: . It is a
	// separate statement in a block's list, before the statement it labels.
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

	// LabelStmt is Label: before a statement. MSL has no goto; the node exists for the diagnostic.
	LabelStmt struct {
		Span
		Label *Ident
	}

	// GotoStmt is goto Label; which MSL does not support.
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
