package objc

import (
	"fmt"
	"slices"
	"sync"
)

// Implementation makes objects that implement a protocol out of Go values. Packages of bindings
// have one for each protocol that programs implement.
type Implementation struct {
	Protocol  string // "MPSNNPadding"
	Framework string
	Copies    bool // the protocol includes NSCopying: a copy is the object itself
	Methods   []ImplementedMethod
	Software  SoftwareFramework // as in ClassRef

	lock    sync.Mutex
	classes []implementedClass
}

// ImplementedMethod is a method of an [Implementation].
type ImplementedMethod struct {
	Selector string
	Encoding string
	// Has reports whether a value has an optional method; nil for a required one.
	Has  func(impl any) bool
	Call func(impl any, args, ret []uintptr)
}

// implementedClass is the class of values that have the same optional methods.
type implementedClass struct {
	methods uint64 // a bit for each of the implementation's
	class   *GoClass
}

// New returns an object, +1, whose methods call those of impl. The object has the optional methods
// that impl has.
func (p *Implementation) New(impl any) (ID, error) {
	if impl == nil {
		return 0, fmt.Errorf("objc: implementation of %s: %w", p.Protocol, ErrNil)
	}
	class, err := p.class(impl)
	if err != nil {
		return 0, err
	}
	return class.New(impl)
}

func (p *Implementation) class(impl any) (*GoClass, error) {
	var has uint64
	for i, m := range p.Methods {
		if m.Has == nil || m.Has(impl) {
			has |= 1 << i
		}
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	if i := slices.IndexFunc(p.classes, func(c implementedClass) bool { return c.methods == has }); i >= 0 {
		return p.classes[i].class, nil
	}
	spec := ClassSpec{Name: fmt.Sprintf("PureMetal%s%x", p.Protocol, has), Framework: p.Framework, software: p.Software}
	if p.Framework != "" {
		d, err := current()
		if err == nil {
			err = d.openFramework(p.Framework, p.Software)
		}
		if err != nil {
			return nil, fmt.Errorf("objc: implementation of %s: %w", p.Protocol, err)
		}
	}
	// A protocol that no code in the process mentions has no metadata. Messages do not need it.
	if _, err := LookUpProtocol(p.Protocol); err == nil {
		spec.Protocols = []string{p.Protocol}
	}
	for i, m := range p.Methods {
		if has>>i&1 != 0 {
			call := func(_ ID, value any, args, ret []uintptr) { m.Call(value, args, ret) }
			spec.Methods = append(spec.Methods, MethodSpec{m.Selector, m.Encoding, call})
		}
	}
	if p.Copies {
		spec.Methods = append(spec.Methods, MethodSpec{"copyWithZone:", "@@:^{_NSZone=}",
			func(self ID, _ any, _, ret []uintptr) { ret[0] = uintptr(self.Retain()) }})
	}
	class, err := NewClass(spec)
	if err != nil {
		return nil, err
	}
	p.classes = append(p.classes, implementedClass{has, class})
	return class, nil
}
