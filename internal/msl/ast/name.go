package ast

import "github.com/puremetal/puremetal/internal/msl/token"

// NameKind is what a name denotes, as far as the parser needs to know.
type NameKind uint8

// Kinds of names.
const (
	NameUnknown       NameKind = iota // unknown
	NameValue                         // a variable, function, parameter, enumerator, non-type template parameter
	NameType                          // a type, alias or type template parameter
	NameTypeTemplate                  // a class or alias template, or a template template parameter: name<...> is a type
	NameValueTemplate                 // a function or variable template: name<...> is an expression
	NameNamespace                     // a namespace
)

// Ident is an identifier in the source.
type Ident struct {
	Span
	Name string
}

// Name is an identifier, an operator name or another name, possibly qualified and with template
// arguments: `x`, `metal::min`, `::S<int>::template f<2>`, `operator+`, `~S`.
type Name struct {
	Span
	Global bool       // starts with ::
	Parts  []NamePart // at least one
}

// PartKind is the form of a part of a name.
type PartKind uint8

// Forms of a part of a name.
const (
	PartIdent      PartKind = iota // Ident
	PartOperator                   // operator Op; Op is LParen for (), LBrack for []
	PartConversion                 // operator Type
	PartDestructor                 // ~Ident
	PartDecltype                   // decltype(...), first part only; Type is a *DecltypeType
)

// NamePart is one of the parts of a name separated by ::.
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

// TemplateArg is one template argument. Exactly one of Type and X is set. A name, or a call of a
// name, that the parser cannot classify as a type or not is in X, as a [NameExpr] or [CallExpr]; so
// is the name of a template. A pack expansion is a [PackType] or [PackExpr].
type TemplateArg struct {
	Span
	Type TypeExpr
	X    Expr
}

// Last returns the last part of a name, the one that is declared or looked up.
func (n *Name) Last() *NamePart { return &n.Parts[len(n.Parts)-1] }

// Simple returns the identifier of a name that is just an identifier, and "" for any other name.
func (n *Name) Simple() string {
	if n == nil || n.Global || len(n.Parts) != 1 || n.Parts[0].Kind != PartIdent || n.Parts[0].HasArgs {
		return ""
	}
	return n.Parts[0].Ident
}
