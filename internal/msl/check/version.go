package check

import (
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// attrSince returns the version that introduced an attribute; 0 means the first.
func attrSince(name string) builtin.Version {
	switch name {
	case "function_constant":
		return 120
	case "thread_index_in_simdgroup", "simdgroup_index_in_threadgroup", "simdgroups_per_threadgroup",
		"threads_per_simdgroup":
		return 200
	case "thread_index_in_quadgroup", "quadgroup_index_in_threadgroup", "quadgroups_per_threadgroup":
		return 210
	case "visible":
		return 230
	}
	return 0
}

// needs reports a feature that is newer than the program's language version, and returns false for
// one.
func (c *checker) needs(n ast.Node, what string, since builtin.Version) bool {
	if int(since) <= c.opts.Version {
		return true
	}
	c.errorf(diag.NeedsVersion, n, "'%s' requires Metal %s, but the program is compiled as Metal %s", what, since,
		builtin.Version(c.opts.Version))
	return false
}

// attrVersions checks attributes against the program's language version.
func (c *checker) attrVersions(attrs []*ast.Attr) {
	for _, a := range attrs {
		c.needs(a, a.Name, attrSince(a.Name))
	}
}

// typeVersion checks a named built-in type.
func (c *checker) typeVersion(n ast.Node, name string, t types.Type) bool {
	switch {
	case c.opts.Version >= 310:
		return true
	case strings.Contains(name, "bfloat"):
		if types.ElemOf(t) == types.BFloat {
			return c.needs(n, name, 310)
		}
	case name == "atomic_float":
		return c.needs(n, name, 300)
	case name == "atomic_ulong":
		return c.needs(n, name, 240)
	}
	return true
}
