package ast

// BasicKind is a type that keywords alone spell.
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

// AddrSpace is an address space as it is written.
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
)

// RecordKey says how a class was introduced.
type RecordKey uint8

// Keys of classes.
const (
	KeyStruct RecordKey = iota + 1
	KeyClass
	KeyUnion
)

type (
	// BadType stands for a type that could not be read.
	BadType struct{ Span }

	// BasicType is a type spelled by keywords, in whatever order they stood.
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

	// ElaboratedType is `struct S`, `class S`, `union S` or `enum S` where S is not defined here.
	ElaboratedType struct {
		Span
		Key  RecordKey // 0 for an enum
		Name *Name
	}

	// RecordType is a class that the same declaration defined: Decl stands just before, among the
	// declarations.
	RecordType struct {
		Span
		Decl *RecordDecl
	}

	// EnumType is an enumeration that the same declaration defined.
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
		Elem            TypeExpr
	}

	// PointerType is a pointer to Elem. Restrict is set for __restrict.
	PointerType struct {
		Span
		Elem     TypeExpr
		Restrict bool
	}

	// MemberPointerType is a pointer to a member of Class, which MSL does not have: it is kept for the
	// diagnostic's sake.
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

	// FuncType is a function's type: of `R(A, B)` as a template argument, or behind a pointer or
	// reference.
	FuncType struct {
		Span
		Result   TypeExpr
		Params   []*Param
		Variadic bool // ends with ...
		Quals    FuncQuals
		Trailing bool // the result stands behind ->
		Attrs    []*Attr
	}

	// AutoType is auto, or decltype(auto).
	AutoType struct {
		Span
		Decltype bool
	}

	// DecltypeType is decltype(X) or, with Typeof, GNU's __typeof__(X), whose operand may be a
	// TypeValue.
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

// FuncQuals are the qualifiers behind a parameter list.
type FuncQuals struct {
	Const, Volatile bool
	Space           AddrSpace
	Ref             RefQual
	Noexcept        Expr // the condition of noexcept(...), or nil
	IsNoexcept      bool // noexcept in either form
}

// RefQual is & or && behind a parameter list.
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
