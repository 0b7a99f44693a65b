package adapter

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/typeenc"
)

// Tables list the messages that a framework's bindings send and the C functions that they call. The
// generator of the bindings writes them.
type Tables struct {
	Owners    []Owner     // classes and protocols, each after those that it names in Above
	Functions []Signature // C functions

	// Own lists the messages that the framework does not have, by class of this module's.
	Own []Owner
	// Extensions lists messages of this module's classes that the framework does not have.
	Extensions []*typeenc.Message

	once  sync.Once
	index map[string]*Owner // made when it is first used
}

// Signature is a selector, or the name of a C function, with its type encoding.
type Signature struct{ Name, Enc string }

// Owner is a class or a protocol of the framework. Its methods are sorted by selector.
type Owner struct {
	Name     string
	Protocol bool
	Above    []string // superclass and adopted protocols that the table has
	Methods  []Signature
	// ClassMethods are those with a + before their name.
	ClassMethods []Signature
}

// Owner returns a class or a protocol, nil if the tables do not have it.
func (t *Tables) Owner(name string) *Owner {
	t.once.Do(func() {
		t.index = make(map[string]*Owner, len(t.Owners)+len(t.Own))
		for _, list := range [][]Owner{t.Owners, t.Own} {
			for i := range list {
				t.index[list[i].Name] = &list[i]
			}
		}
		t.addExtensions()
	})
	return t.index[name]
}

// addExtensions adds the extensions to the index.
func (t *Tables) addExtensions() {
	changed := map[*Owner]bool{}
	for _, m := range t.Extensions {
		o := t.index[m.Class]
		if o == nil {
			o = &Owner{Name: m.Class}
			t.index[m.Class] = o
		}
		o.Methods = append(o.Methods, Signature{m.Selector, m.Encoding})
		changed[o] = true
	}
	for o := range changed {
		slices.SortFunc(o.Methods, func(a, b Signature) int { return strings.Compare(a.Name, b.Name) })
	}
}

// find looks a selector up in a class or protocol and all above it.
func (t *Tables) find(owner, sel string, classMethod bool) (string, bool) {
	o := t.Owner(owner)
	if o == nil {
		return "", false
	}
	list := o.Methods
	if classMethod {
		list = o.ClassMethods
	}
	byName := func(m Signature, sel string) int { return strings.Compare(m.Name, sel) }
	if i, ok := slices.BinarySearchFunc(list, sel, byName); ok {
		return list[i].Enc, true
	}
	for _, above := range o.Above {
		if enc, ok := t.find(above, sel, classMethod); ok {
			return enc, true
		}
	}
	return "", false
}

// foundationClass returns the class that defines the encoding of a selector that any class may
// implement in addition to its own: description, copyWithZone:.
func foundationClass(sel string) string {
	if sel == "copyWithZone:" {
		return "NSString"
	}
	return "NSObject"
}

// Encoding returns the encoding of a method of a class: from the class's own entry, from those of
// the protocols that it adopts, or from Foundation's classes. A selector without one is an error:
// no binding sends it.
func (t *Tables) Encoding(rt *objcsoft.Runtime, c *Class, sel string, classMethod bool) (string, error) {
	for _, name := range append([]string{c.Name, c.Super}, c.Protocols...) {
		if enc, ok := t.find(name, sel, classMethod); ok {
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
	return "", fmt.Errorf("softmetal: %s[%s %s]: no binding sends this selector", sign, c.Name, sel)
}

// function returns the encoding of a C function.
func (t *Tables) function(name string) (string, error) {
	for i := range t.Functions {
		if t.Functions[i].Name == name {
			return t.Functions[i].Enc, nil
		}
	}
	return "", fmt.Errorf("softmetal: %s: no binding calls this function", name)
}
