package ast

import "github.com/puremetal/puremetal/internal/msl/diag"

// Spec are the specifiers before a declaration that are not part of its type.
type Spec struct {
	Static, Extern, Inline, Constexpr bool
	Friend, Virtual, Explicit         bool
	Mutable, ThreadLocal, Register    bool
	Stage                             Stage    // the keywords kernel, vertex, fragment; the attribute forms are in Attrs
	StagePos                          diag.Pos // of the keyword
}

// Stage is a pipeline stage given by a keyword.
type Stage uint8

// Stages.
const (
	NoStage Stage = iota
	Kernel
	Vertex
	Fragment
	Mesh
	Object
	Intersection
)

// InitKind is the form of a variable's initializer.
type InitKind uint8

// Forms of initializers.
const (
	NoInit    InitKind = iota
	CopyInit           // T x = v; Init is v, possibly an InitList
	ParenInit          // T x(a, b); Args
	BraceInit          // T x{a, b}; Init is an InitList
)

// Access is the access of a member.
type Access uint8

// Access levels.
const (
	DefaultAccess Access = iota
	Public
	Protected
	Private
)

type (
	// BadDecl stands for a declaration that could not be parsed.
	BadDecl struct{ Span }

	// EmptyDecl is a lone semicolon. Attrs is set in [[...]];
	EmptyDecl struct {
		Span
		Attrs []*Attr
	}

	// NamespaceDecl is namespace A::B { Decls }. Path is empty for an unnamed one.
	NamespaceDecl struct {
		Span
		Inline bool
		Attrs  []*Attr
		Path   []*Ident
		Decls  []Decl
	}

	// NamespaceAlias is namespace Alias = Target;
	NamespaceAlias struct {
		Span
		Alias  *Ident
		Target *Name
	}

	// UsingDirective is using namespace Name;
	UsingDirective struct {
		Span
		Name *Name
	}

	// UsingDecl is using Name; (one per name)
	UsingDecl struct {
		Span
		Typename bool
		Name     *Name
		Pack     bool
	}

	// AliasDecl is using Ident = Type;
	AliasDecl struct {
		Span
		Ident *Ident
		Attrs []*Attr
		Type  TypeExpr
	}

	// TypedefDecl is typedef Type Ident; (one per declarator)
	TypedefDecl struct {
		Span
		Attrs []*Attr
		Ident *Ident
		Type  TypeExpr
	}

	// TemplateDecl is template <Params> Decl. Params is empty for an explicit specialization. Decl is
	// a RecordDecl, FuncDecl, VarDecl, AliasDecl, FriendDecl or, for a member template of a class
	// template, another TemplateDecl.
	TemplateDecl struct {
		Span
		Params []TemplateParam
		Decl   Decl
	}

	// ExplicitInstantiation is template [[Attrs]] Decl. Attributes between template and the
	// declaration are the declaration's leading attributes as well as in Attrs.
	ExplicitInstantiation struct {
		Span
		Extern bool
		Attrs  []*Attr
		Decl   Decl // a FuncDecl, RecordDecl or VarDecl
	}

	// RecordDecl is a struct, class or union, defined or only declared.
	RecordDecl struct {
		Span
		Key     RecordKey
		Attrs   []*Attr
		Name    *Name // nil when anonymous; its last part has template arguments in a specialization
		Final   bool
		Bases   []Base
		Defined bool // has { Members }
		Members []Decl
		// Friend is set for a friend declaration, which introduces no member.
		Friend bool
		// Anonymous is set when the members of an unnamed struct or union belong to the enclosing one.
		Anonymous bool
	}

	// AccessDecl is public: or the like in a class.
	AccessDecl struct {
		Span
		Access Access
	}

	// FriendDecl is friend Decl, or friend Type;
	FriendDecl struct {
		Span
		Decl Decl
		Type TypeExpr
	}

	// EnumDecl is an enumeration, defined or only declared.
	EnumDecl struct {
		Span
		Scoped     bool // enum class, enum struct
		Attrs      []*Attr
		Name       *Name    // nil when anonymous
		Underlying TypeExpr // or nil
		Defined    bool
		Items      []*Enumerator
	}

	// VarDecl is a variable, a field, or a static member.
	VarDecl struct {
		Span
		Spec     Spec
		Attrs    []*Attr // before the specifiers and after the declarator
		Type     TypeExpr
		Name     *Name // nil for an unnamed bit-field
		Bits     Expr  // width of a bit-field, or nil
		InitKind InitKind
		Init     Expr   // of CopyInit and BraceInit
		Args     []Expr // of ParenInit
		Field    bool   // declared as a class member
	}

	// BindingDecl is auto [a, b] = Init;
	BindingDecl struct {
		Span
		Spec     Spec
		Attrs    []*Attr
		Type     TypeExpr // AutoType, with qualifiers and reference
		Names    []*Ident
		InitKind InitKind
		Init     Expr
		Args     []Expr
	}

	// FuncDecl is a function, declared or defined.
	FuncDecl struct {
		Span
		Spec      Spec
		Attrs     []*Attr  // before the specifiers, after the name and after the parameters
		Result    TypeExpr // nil for constructors, destructors and conversion functions
		Trailing  bool     // the result type is after ->
		Name      *Name
		Params    []*Param
		Variadic  bool // ends with ...
		Quals     FuncQuals
		Ctor      bool // a constructor
		Guide     bool // a deduction guide: Result is the guided type
		Override  bool
		Final     bool
		Inits     []CtorInit
		Body      *BlockStmt // or nil
		Deleted   bool
		Defaulted bool
		Pure      bool // = 0
		Member    bool // declared as a class member
	}

	// StaticAssertDecl is static_assert(Cond, Message);
	StaticAssertDecl struct {
		Span
		Cond    Expr
		Message *StringLit // or nil
	}

	// LinkageDecl is extern "C" { Decls }, with or without braces.
	LinkageDecl struct {
		Span
		Language string // as written
		Decls    []Decl
	}
)

// Base is one base class.
type Base struct {
	Span
	Access  Access
	Virtual bool
	Type    TypeExpr // a PackType for Base...
}

// Enumerator is one name of an enumeration.
type Enumerator struct {
	Span
	Ident *Ident
	Attrs []*Attr
	Value Expr // or nil
}

// Param is a parameter of a function, of a function type or of a lambda.
type Param struct {
	Span
	Attrs   []*Attr  // before the type and after the declarator
	Type    TypeExpr // a PackType if it is a pack
	Ident   *Ident   // or nil
	Default Expr     // or nil
}

// TemplateParam is a parameter of a template.
type TemplateParam struct {
	Span
	Kind        TemplateParamKind
	Pack        bool
	Ident       *Ident          // or nil
	Type        TypeExpr        // of a non-type parameter
	DefaultType TypeExpr        // of a type parameter, or nil
	Default     Expr            // of a non-type or template parameter, or nil
	Params      []TemplateParam // of a template parameter
}

// TemplateParamKind is the kind of a template parameter.
type TemplateParamKind uint8

// Kinds of template parameters.
const (
	TypeParam             TemplateParamKind = iota // typename T, class T
	ValueParam                                     // int N
	TemplateParamTemplate                          // template <typename> class C
)

// CtorInit is one initializer of a constructor: of a member or a base.
type CtorInit struct {
	Span
	Name  *Name
	Args  []Expr
	Brace bool // Name{Args}
	Pack  bool // Name(Args)...
}

func (*BadDecl) declNode()               {}
func (*EmptyDecl) declNode()             {}
func (*NamespaceDecl) declNode()         {}
func (*NamespaceAlias) declNode()        {}
func (*UsingDirective) declNode()        {}
func (*UsingDecl) declNode()             {}
func (*AliasDecl) declNode()             {}
func (*TypedefDecl) declNode()           {}
func (*TemplateDecl) declNode()          {}
func (*ExplicitInstantiation) declNode() {}
func (*RecordDecl) declNode()            {}
func (*AccessDecl) declNode()            {}
func (*FriendDecl) declNode()            {}
func (*EnumDecl) declNode()              {}
func (*VarDecl) declNode()               {}
func (*BindingDecl) declNode()           {}
func (*FuncDecl) declNode()              {}
func (*StaticAssertDecl) declNode()      {}
func (*LinkageDecl) declNode()           {}
