package check

import (
	"slices"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
)

// attrPlace is a kind of declaration with the attributes that are meaningless on it. Parameters of
// ordinary functions are not included, because real programs repeat kernel attributes there.
type attrPlace struct {
	what  string
	args  bool // argument attributes are meaningless too
	names []string
}

var (
	onLocal = &attrPlace{"a local variable", true,
		[]string{"function_constant", "kernel", "vertex", "fragment", "host_name", "visible"}}
	onGlobal = &attrPlace{"a variable", true, []string{"kernel", "vertex", "fragment", "host_name", "visible"}}
	onType   = &attrPlace{"a type", true,
		[]string{"function_constant", "kernel", "vertex", "fragment", "host_name", "visible"}}
	onFunction = &attrPlace{"a function", true, []string{"function_constant"}}
	// onCalled is a function that is not an entry point and cannot be instantiated as one.
	onCalled = &attrPlace{"a function that is no entry point", false,
		[]string{"max_total_threads_per_threadgroup", "required_threads_per_threadgroup"}}
)

// misplaced reports attributes on declarations where they are meaningless.
func (c *checker) misplaced(attrs []*ast.Attr, place *attrPlace) {
	for _, a := range attrs {
		if !a.GNU && a.Scope == "" && (place.args && bindsArgument(a.Name) || slices.Contains(place.names, a.Name)) {
			c.errorf(diag.AttributeMisplaced, a, "'%s' attribute does not apply to %s", a.Name, place.what)
		}
	}
}
