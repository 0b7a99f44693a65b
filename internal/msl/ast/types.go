package ast

// BasicKind is a type spelled by keywords alone.
type BasicKind uint8

// Types spelled by keywords. The names that MSL adds (half, uint, float4, ...) are ordinary names:
// see [NamedType].
const (
	Void BasicKind = iota + 1
	Bool
	Char
	SChar
	UChar
	Short
	UShort
	Int
	UInt
	Long
	ULong
	LongLong
	ULongLong
	Float
	Double
	LongDouble
	WChar
	Char16
	Char32
)

// AddrSpace is an address space as written.
type AddrSpace uint8

// Address spaces.
const (
	NoSpace AddrSpace = iota
	Thread
	Device
	Constant
	Threadgroup
	ThreadgroupImageblock
	RayData
	ObjectData
	// Inferred is the address space of what a pointer or reference is given, in a dialect that does
	// not spell it.
	Inferred
)

// RecordKey is the keyword of a class.
type RecordKey uint8

// Class keywords.
const (
	KeyStruct RecordKey = iota + 1
	KeyClass
	KeyUnion
)

type (
	// BadType stands for a type that could not be parsed.
	BadType struct{ Span }

	// BasicType is a type spelled by keywords, in any order.
	BasicType struct {
		Span
		Kind BasicKind
	}

	// NamedType is a type named by an identifier, possibly qualified and with template arguments.
	NamedType struct {
		Span
		Typename bool // preceded by typename
		Name     *Name
	}

	// ElaboratedType is `struct S`, `class S`, `union S` or `enum S` that does not define S.
	ElaboratedType struct {
		Span
		Key  RecordKey // 0 for an enum
		Name *Name
	}

	// RecordType is a class defined in the same declaration; Decl immediately precedes it in the
	// list of declarations.
	RecordType struct {
		Span
		Decl *RecordDecl
	}

	// EnumType is an enumeration defined in the same declaration.
	EnumType struct {
		Span
		Decl *EnumDecl
	}

	// QualType is a type with qualifiers. Elem is never itself a QualType.
	QualType struct {
		Span
		Const, Volatile bool
		Coherent        bool // coherent, or coherent(device): CoherentScope
		CoherentScope   string
		Space           AddrSpace
		SpaceParam      string // the template parameter whose argument has an Inferred space, or ""
		Elem            TypeExpr
	}

	// PointerType is a pointer to Elem. Restrict is set for __restrict.
	PointerType struct {
		Span
		Elem     TypeExpr
		Restrict bool
	}

	// MemberPointerType is a pointer to a member of Class. MSL does not support it; the node exists
	// for the diagnostic.
	MemberPointerType struct {
		Span
		Class *Name
		Elem  TypeExpr
	}

	// ReferenceType is a reference to Elem; RValue for &&.
	ReferenceType struct {
		Span
		Elem   TypeExpr
		RValue bool
	}

	// ArrayType is an array of Elem. Len is nil in `[]`.
	ArrayType struct {
		Span
		Elem TypeExpr
		Len  Expr
	}

	// FuncType is a function type: of `R(A, B)` as a template argument, or after a pointer or
	// reference.
	FuncType struct {
		Span
		Result   TypeExpr
		Params   []*Param
		Variadic bool // ends with ...
		Quals    FuncQuals
		Trailing bool // the result type is after ->
		Attrs    []*Attr
	}

	// AutoType is auto, or decltype(auto).
	AutoType struct {
		Span
		Decltype bool
		// Pointer is the pointer type that auto has taken the place of, in CUDA C++.
		Pointer TypeExpr
	}

	// DecltypeType is decltype(X) or, with Typeof, the GNU extension __typeof__(X), whose operand
	// may be a TypeValue.
	DecltypeType struct {
		Span
		Typeof bool
		X      Expr
	}

	// PackType is Elem... : a pack expansion in a list of types, bases or parameters.
	PackType struct {
		Span
		Elem TypeExpr
	}
)

// FuncQuals are the qualifiers after a parameter list.
type FuncQuals struct {
	Const, Volatile bool
	Space           AddrSpace
	Ref             RefQual
	Noexcept        Expr // the condition of noexcept(...), or nil
	IsNoexcept      bool // noexcept in either form
}

// RefQual is & or && after a parameter list.
type RefQual uint8

// Reference qualifiers.
const (
	NoRef RefQual = iota
	LValueRef
	RValueRef
)

func (*BadType) typeNode()           {}
func (*BasicType) typeNode()         {}
func (*NamedType) typeNode()         {}
func (*ElaboratedType) typeNode()    {}
func (*RecordType) typeNode()        {}
func (*EnumType) typeNode()          {}
func (*QualType) typeNode()          {}
func (*PointerType) typeNode()       {}
func (*MemberPointerType) typeNode() {}
func (*ReferenceType) typeNode()     {}
func (*ArrayType) typeNode()         {}
func (*FuncType) typeNode()          {}
func (*AutoType) typeNode()          {}
func (*DecltypeType) typeNode()      {}
func (*PackType) typeNode()          {}
