package check

import (
	"strings"

	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/diag"
)

// typeWords are the type keywords.
var typeWords = [...]string{"bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float",
	"bfloat", "void", "size_t", "ptrdiff_t"}

// meant suggests what an undeclared name was meant to be: Metal's equivalent of a name from another
// language, the same name in namespace metal, or a similarly spelled name.
func (c *checker) meant(name, what string) string {
	if s := diag.Foreign(name); s != "" {
		return s
	}
	if name != "" && !c.lookupIn(c.metal, name).empty() {
		return "; it is in namespace metal: add 'using namespace metal;' or write 'metal::" + name + "'"
	}
	return c.suggest(c.sc, name, what, true)
}

// suggest looks for a similar name in a scope and its enclosing scopes, and with library also among
// Metal's. If a type is wanted, only types qualify. The library has a name close to almost any
// word, so only its names with the same first letter count.
func (c *checker) suggest(s *scope, name, what string, library bool) string {
	isType := what == "type"
	library = library && name != ""
	d := diag.Suggest(name, func(yield func(string) bool) {
		for ; s != nil; s = s.parent {
			for y := range s.syms.all {
				c.step()
				if !y.empty() && (!isType || y.typ != nil || y.ns != nil) && !yield(y.name) {
					return
				}
			}
		}
		if !library {
			return
		}
		for _, n := range typeWords {
			if n[0] == name[0] && !yield(n) {
				return
			}
		}
		for _, n := range builtin.Names() {
			if n[0] == name[0] && !strings.HasPrefix(n,
				"__") && (!isType || builtin.LookupClass(n) != nil || builtin.LookupEnum(n) != nil) && !yield(n) {
				return
			}
		}
	})
	if d == "" {
		return ""
	}
	return "; did you mean '" + d + "'?"
}
