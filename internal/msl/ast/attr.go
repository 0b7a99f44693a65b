package ast

// Attr is one attribute of a [[...]] list or of __attribute__((...)).
type Attr struct {
	Span
	Scope  string // of scope::name, else ""
	Name   string
	Parens bool   // arguments were given, though there may be none
	Args   []Expr // an argument that is not an expression, such as a type, is a TypeValue
	GNU    bool   // written __attribute__((...))
}

// FindAttr returns the first attribute in the lists with the given name and no scope, or nil.
func FindAttr(name string, lists ...[]*Attr) *Attr {
	for _, list := range lists {
		for _, a := range list {
			if a.Name == name && a.Scope == "" {
				return a
			}
		}
	}
	return nil
}
