package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
)

// [class.access]: a private member may be named by members and friends of its class, a protected
// one also by those of derived classes. Access is checked after a name has been found and an
// overload chosen, so it decides about neither.

// noteAccess records the access of non-public class members. A name that is declared more than once
// is as public as its most public declaration; functions are recorded individually.
func (k *class) noteAccess(m ast.Decl, a ast.Access) {
	name := ""
	switch m := ast.Templated(m).(type) {
	case *ast.VarDecl:
		if m.Name != nil {
			name = m.Name.Last().Ident
		}
	case *ast.FuncDecl:
		k.funcAccess(m, a)
		return
	case *ast.FriendDecl:
		if f, ok := m.Decl.(*ast.FuncDecl); !ok || f.Body == nil {
			k.friends = true
		}
		return
	}
	if name == "" || a == ast.Public {
		return
	}
	if k.access == nil {
		k.access = make(map[string]ast.Access)
	}
	k.access[name] = a
}

func (k *class) funcAccess(d *ast.FuncDecl, a ast.Access) {
	if a == ast.Public {
		return
	}
	if k.methodAccess == nil {
		k.methodAccess = make(map[*ast.FuncDecl]ast.Access)
	}
	k.methodAccess[d] = a
}

// startAccess returns the default access of a class's members.
func startAccess(d *ast.RecordDecl) ast.Access {
	if d.Key == ast.KeyClass {
		return ast.Private
	}
	return ast.Public
}

// inside reports whether the code being checked belongs to the class or, for protected members, to
// a class derived from it. A class that declares friends is treated as open: its friends are not
// tracked.
func (c *checker) inside(k *class, a ast.Access) bool {
	if k.friends {
		return true
	}
	for s := c.sc; s != nil; s = s.parent {
		if s.kind != classScope || s.class == nil {
			continue
		}
		if s.class == k || a == ast.Protected && s.class.st.DerivesFrom(k.st) != nil {
			return true
		}
	}
	return false
}

// fieldAccess reports a use of an inaccessible variable or static member.
func (c *checker) fieldAccess(k *class, name string, n ast.Node) bool {
	for owner := k; owner != nil; {
		if !owner.sc.syms.of(name).empty() {
			a := owner.access[name]
			if a == ast.DefaultAccess || c.inside(owner, a) {
				return true
			}
			c.errorf(diag.Inaccessible, n, "'%s' is a %s member of '%s'", name, accessName(a), owner.st)
			return false
		}
		var next *class
		for _, b := range owner.bases {
			if y := c.lookupMember(b, name); !y.empty() {
				next = b
				break
			}
		}
		owner = next
	}
	return true
}

// callAccess reports a call of an inaccessible function.
func (c *checker) callAccess(f *function, n ast.Node) bool {
	if f.class == nil {
		return true
	}
	a := f.class.methodAccess[f.decl]
	if a == ast.DefaultAccess || c.inside(f.class, a) {
		return true
	}
	name := f.name
	if f.decl.Ctor {
		name = "constructor"
	}
	c.errorf(diag.Inaccessible, n, "'%s' is a %s member of '%s'", name, accessName(a), f.class.st)
	return false
}

func accessName(a ast.Access) string {
	if a == ast.Protected {
		return "protected"
	}
	return "private"
}
