package ast

import (
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// CastKind says which cast was written.
type CastKind uint8

// Casts.
const (
	CStyleCast      CastKind = iota + 1 // (T)x
	StaticCast                          // static_cast<T>(x)
	ReinterpretCast                     // reinterpret_cast<T>(x)
	ConstCast                           // const_cast<T>(x)
	DynamicCast                         // dynamic_cast<T>(x), which MSL does not have
)

type (
	// BadExpr stands for an expression that could not be parsed.
	BadExpr struct{ Span }

	// IntLit is an integer literal as written; token.ParseInt parses it.
	IntLit struct {
		Span
		Text string
	}

	// FloatLit is a floating-point literal as written; token.ParseFloat parses it.
	FloatLit struct {
		Span
		Text string
	}

	// CharLit is a character literal, as written.
	CharLit struct {
		Span
		Text string
	}

	// StringLit is one string literal or several adjacent ones, each as written.
	StringLit struct {
		Span
		Texts []string
	}

	// BoolLit is true or false.
	BoolLit struct {
		Span
		Value bool
	}

	// NullptrLit is nullptr.
	NullptrLit struct{ Span }

	// ThisExpr is this.
	ThisExpr struct{ Span }

	// NameExpr is a name where a value is expected. If the parser cannot tell, as for the callee of
	// a call or a template argument, it may turn out to be a type.
	NameExpr struct {
		Span
		Name *Name
	}

	// ParenExpr is (X).
	ParenExpr struct {
		Span
		X Expr
	}

	// UnaryExpr is Op X: + - ! ~ * & ++ --.
	UnaryExpr struct {
		Span
		Op token.Kind
		X  Expr
	}

	// PostfixExpr is X Op: ++ --.
	PostfixExpr struct {
		Span
		Op token.Kind
		X  Expr
	}

	// BinaryExpr is X Op Y, including the comma operator but not assignments.
	BinaryExpr struct {
		Span
		Op    token.Kind
		OpPos diag.Pos
		X, Y  Expr
	}

	// AssignExpr is X Op Y where Op is = or a compound assignment. Y may be an InitList.
	AssignExpr struct {
		Span
		Op    token.Kind
		OpPos diag.Pos
		X, Y  Expr
	}

	// CondExpr is Cond ? Then : Else. Then is nil in GNU's `Cond ?: Else`.
	CondExpr struct {
		Span
		Cond, Then, Else Expr
	}

	// CallExpr is Fun(Args...). If Fun is a NameExpr that turns out to be a type, it is a
	// conversion or construction.
	CallExpr struct {
		Span
		Fun  Expr
		Args []Expr
	}

	// ConstructExpr is Type(Args...) or, with Brace, Type{Args...}, where Type is certainly a type.
	// An unknown template-id followed by braces is assumed to be a type.
	ConstructExpr struct {
		Span
		Type  TypeExpr
		Args  []Expr
		Brace bool
	}

	// IndexExpr is X[Index].
	IndexExpr struct {
		Span
		X, Index Expr
	}

	// MemberExpr is X.Name or, with Arrow, X->Name. The first part's Template is set for X.template
	// f<...>.
	MemberExpr struct {
		Span
		X     Expr
		Arrow bool
		Name  *Name
	}

	// CastExpr is one of the casts that name a type.
	CastExpr struct {
		Span
		Kind CastKind
		Type TypeExpr
		X    Expr // an InitList for a compound literal
	}

	// InitList is {Elems...}; designated elements are DesignatedInit.
	InitList struct {
		Span
		Elems []Expr
	}

	// DesignatedInit is .Field = X, [Index] = X or, as a GNU extension, [Index ... High] = X,
	// within an InitList.
	DesignatedInit struct {
		Span
		Field *Ident // or nil
		Index Expr   // or nil
		High  Expr   // or nil
		X     Expr
	}

	// SizeofExpr is sizeof or, with Align, alignof, of a type or of an expression.
	SizeofExpr struct {
		Span
		Align bool
		Type  TypeExpr // or nil
		X     Expr     // or nil
	}

	// SizeofPackExpr is sizeof...(Pack).
	SizeofPackExpr struct {
		Span
		Pack *Ident
	}

	// NoexceptExpr is noexcept(X).
	NoexceptExpr struct {
		Span
		X Expr
	}

	// LambdaExpr is [captures](params) specifiers -> result { body }.
	LambdaExpr struct {
		Span
		Default  CaptureDefault
		Captures []Capture
		Template []TemplateParam // or nil
		Params   []*Param
		Variadic bool
		Mutable  bool
		Quals    FuncQuals
		Attrs    []*Attr
		Result   TypeExpr // or nil
		Body     *BlockStmt
	}

	// FoldExpr is (X op ...), (... op Y) or (X op ... op Y). X or Y is nil in a unary fold.
	FoldExpr struct {
		Span
		Op   token.Kind
		X, Y Expr
	}

	// PackExpr is X... in an argument list.
	PackExpr struct {
		Span
		X Expr
	}

	// TypeValue is a type where the grammar has an expression: an argument of an attribute or of a
	// __trait(...).
	TypeValue struct {
		Span
		Type TypeExpr
	}
)

// CaptureDefault is a lambda's default capture.
type CaptureDefault uint8

// Capture defaults.
const (
	CaptureNone CaptureDefault = iota
	CaptureByCopy
	CaptureByRef
)

// Capture is one capture of a lambda: x, &x, this, *this, x = Init, x... .
type Capture struct {
	Span
	Name string // "this" for this and *this
	Ref  bool
	Copy bool // *this
	Init Expr // or nil
	Pack bool
}

func (*BadExpr) exprNode()        {}
func (*IntLit) exprNode()         {}
func (*FloatLit) exprNode()       {}
func (*CharLit) exprNode()        {}
func (*StringLit) exprNode()      {}
func (*BoolLit) exprNode()        {}
func (*NullptrLit) exprNode()     {}
func (*ThisExpr) exprNode()       {}
func (*NameExpr) exprNode()       {}
func (*ParenExpr) exprNode()      {}
func (*UnaryExpr) exprNode()      {}
func (*PostfixExpr) exprNode()    {}
func (*BinaryExpr) exprNode()     {}
func (*AssignExpr) exprNode()     {}
func (*CondExpr) exprNode()       {}
func (*CallExpr) exprNode()       {}
func (*ConstructExpr) exprNode()  {}
func (*IndexExpr) exprNode()      {}
func (*MemberExpr) exprNode()     {}
func (*CastExpr) exprNode()       {}
func (*InitList) exprNode()       {}
func (*DesignatedInit) exprNode() {}
func (*SizeofExpr) exprNode()     {}
func (*SizeofPackExpr) exprNode() {}
func (*NoexceptExpr) exprNode()   {}
func (*LambdaExpr) exprNode()     {}
func (*FoldExpr) exprNode()       {}
func (*PackExpr) exprNode()       {}
func (*TypeValue) exprNode()      {}
