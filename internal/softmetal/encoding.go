package softmetal

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// zmethod is a selector or a C function's name, with its type encoding.
type zmethod struct{ name, enc string }

// zowner is a class or a protocol of the framework. Its methods are sorted by selector.
type zowner struct {
	name     string
	protocol bool
	above    []string // superclass and adopted protocols that the table has
	methods  []zmethod
	// classMethods are those with a + before their name.
	classMethods []zmethod
}

// owners indexes zowners by name.
var owners = sync.OnceValue(func() map[string]*zowner {
	m := make(map[string]*zowner, len(zowners))
	for i := range zowners {
		m[zowners[i].name] = &zowners[i]
	}
	return m
})

// encodingIn looks a selector up in a class or protocol and all above it.
func encodingIn(owner, sel string, classMethod bool) (string, bool) {
	o := owners()[owner]
	if o == nil {
		return "", false
	}
	list := o.methods
	if classMethod {
		list = o.classMethods
	}
	if i, ok := slices.BinarySearchFunc(list, sel, func(m zmethod, sel string) int { return strings.Compare(m.name, sel) }); ok {
		return list[i].enc, true
	}
	for _, above := range o.above {
		if enc, ok := encodingIn(above, sel, classMethod); ok {
			return enc, true
		}
	}
	return "", false
}

// foundationClass returns the class whose encoding a selector has that every class may answer besides its own: description,
// copyWithZone:.
func foundationClass(sel string) string {
	if sel == "copyWithZone:" {
		return "NSString"
	}
	return "NSObject"
}

// encoding returns the encoding of a method of a class: from the class's own entry, from those of the protocols that it adopts, or
// from Foundation's classes. That there is none means that no binding sends the selector.
func encoding(rt *objcsoft.Runtime, c *class, sel string, classMethod bool) (string, error) {
	for _, name := range append([]string{c.name, c.super}, c.protocols...) {
		if enc, ok := encodingIn(name, sel, classMethod); ok {
			return enc, nil
		}
	}
	k := rt.Class(foundationClass(sel))
	if classMethod {
		k = k.Metaclass()
	}
	if m := k.Method(rt.Sel(sel)); m != nil {
		return m.Encoding(), nil
	}
	sign := "-"
	if classMethod {
		sign = "+"
	}
	return "", fmt.Errorf("softmetal: %s[%s %s]: no binding sends this selector", sign, c.name, sel)
}

// functionEncoding returns the encoding of a C function.
func functionEncoding(name string) (string, error) {
	for i := range zfunctions {
		if zfunctions[i].name == name {
			return zfunctions[i].enc, nil
		}
	}
	return "", fmt.Errorf("softmetal: %s: no binding calls this function", name)
}
