package check

import (
	"slices"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
)

// attrPlace is a kind of declaration, and the attributes that mean nothing there. Parameters of
// ordinary functions are none of them: real programs repeat the attributes of kernels there.
type attrPlace struct {
	what  string
	args  bool // those of arguments are among them
	names []string
}

var (
	onLocal = &attrPlace{"a local variable", true,
		[]string{"function_constant", "kernel", "vertex", "fragment", "host_name", "visible"}}
	onGlobal = &attrPlace{"a variable", true, []string{"kernel", "vertex", "fragment", "host_name", "visible"}}
	onType   = &attrPlace{"a type", true,
		[]string{"function_constant", "kernel", "vertex", "fragment", "host_name", "visible"}}
	onFunction = &attrPlace{"a function", true, []string{"function_constant"}}
	// onCalled is a function that is no entry point, and that no instantiation can make one.
	onCalled = &attrPlace{"a function that is no entry point", false,
		[]string{"max_total_threads_per_threadgroup", "required_threads_per_threadgroup"}}
)

// misplaced reports attributes where they mean nothing.
func (c *checker) misplaced(attrs []*ast.Attr, place *attrPlace) {
	for _, a := range attrs {
		if !a.GNU && a.Scope == "" && (place.args && bindsArgument(a.Name) || slices.Contains(place.names, a.Name)) {
			c.errorf(diag.AttributeMisplaced, a, "'%s' attribute does not apply to %s", a.Name, place.what)
		}
	}
}
