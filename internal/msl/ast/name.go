package ast

import "github.com/puremetal/puremetal/internal/msl/token"

// NameKind says what a name stands for, as far as the parser has to know.
type NameKind uint8

// What a name may stand for.
const (
	NameUnknown       NameKind = iota // nothing is known of it
	NameValue                         // a variable, function, parameter, enumerator, non-type template parameter
	NameType                          // a type, alias or type template parameter
	NameTypeTemplate                  // a class or alias template, or a template template parameter: name<...> is a type
	NameValueTemplate                 // a function or variable template: name<...> is an expression
	NameNamespace                     // a namespace
)

// Ident is one identifier at its place.
type Ident struct {
	Span
	Name string
}

// Name is an identifier, an operator's name or another unqualified name, possibly qualified and
// with template arguments: `x`, `metal::min`, `::S<int>::template f<2>`, `operator+`, `~S`.
type Name struct {
	Span
	Global bool       // starts with ::
	Parts  []NamePart // at least one
}

// PartKind says which form a part of a name has.
type PartKind uint8

// Forms of a part of a name.
const (
	PartIdent      PartKind = iota // Ident
	PartOperator                   // operator Op; Op is LParen for (), LBrack for []
	PartConversion                 // operator Type
	PartDestructor                 // ~Ident
	PartDecltype                   // decltype(...), first part only; Type is a *DecltypeType
)

// NamePart is what stands between two ::.
type NamePart struct {
	Span
	Kind     PartKind
	Ident    string     // of PartIdent and PartDestructor
	Op       token.Kind // of PartOperator
	Type     TypeExpr   // of PartConversion and PartDecltype
	Template bool       // preceded by the keyword template
	HasArgs  bool       // followed by <...>, which may be empty
	Args     []TemplateArg
}

// TemplateArg is one argument of a template. Exactly one of Type and X is set. A name, or a call of
// a name, of which the parser could not know whether it is a type is in X, as a [NameExpr] or
// [CallExpr]; so is the name of a template. A pack expansion is a [PackType] or [PackExpr].
type TemplateArg struct {
	Span
	Type TypeExpr
	X    Expr
}

// Last returns the last part of a name, the one that declares or is looked for.
func (n *Name) Last() *NamePart { return &n.Parts[len(n.Parts)-1] }

// Simple returns the identifier of a name that is nothing but an identifier, and "" for any other
// name.
func (n *Name) Simple() string {
	if n == nil || n.Global || len(n.Parts) != 1 || n.Parts[0].Kind != PartIdent || n.Parts[0].HasArgs {
		return ""
	}
	return n.Parts[0].Ident
}
