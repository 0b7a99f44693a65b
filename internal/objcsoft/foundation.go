package objcsoft

import (
	"fmt"
	"math"
	"os"
)

// foundation holds the classes and constants that the rest of the package uses.
type foundation struct {
	string, array, mutableArray, dictionary, mutableDictionary *Class
	number, value, data, url, err                              *Class

	host   hostInfo
	cTypes cTypes
}

// foundationProtocols lists the protocols, each with those it includes.
var foundationProtocols = [...][]string{
	{"NSObject"},
	{"NSCopying"},
	{"NSMutableCopying"},
	{"NSCoding"},
	{"NSSecureCoding", "NSCoding"},
	{"NSFastEnumeration"},
}

// loadFoundation registers everything; New calls it once.
func (rt *Runtime) loadFoundation() error {
	// The first classes depend on each other: NSObject adopts a protocol, a
	// protocol is an object of a class, whose superclass is NSObject.
	var err error
	if rt.root, err = rt.Register(nsObject()); err != nil {
		return err
	}
	if rt.protocolClass, err = rt.Register(ClassSpec{Name: "Protocol", Framework: foundationName}); err != nil {
		return err
	}
	for _, p := range foundationProtocols {
		if _, err := rt.RegisterProtocol(p[0], p[1:]...); err != nil {
			return err
		}
	}
	if err := rt.Extend("NSObject", nil, nil, "NSObject"); err != nil {
		return err
	}
	if rt.blockClass, err = rt.Register(nsBlock()); err != nil {
		return err
	}
	f := &rt.foundation
	var processInfo, bundle *Class
	for _, c := range []struct {
		keep **Class
		spec ClassSpec
	}{
		{&f.string, nsString()},
		{&f.array, nsArray()},
		{&f.mutableArray, nsMutableArray()},
		{&f.dictionary, nsDictionary()},
		{&f.mutableDictionary, nsMutableDictionary()},
		{&f.value, nsValue()},
		{&f.number, nsNumber()},
		{&f.data, nsData()},
		{&f.url, nsURL()},
		{&f.err, nsError()},
		{&processInfo, nsProcessInfo()},
		{&bundle, nsBundle()},
	} {
		k, err := rt.Register(c.spec)
		if err != nil {
			return err
		}
		*c.keep = k
	}
	f.host.version = emulatedVersion
	f.host.processInfo = rt.NewImmortal(processInfo, nil)
	f.host.mainBundle = rt.NewImmortal(bundle, nil)
	for _, c := range errorConstants {
		if err := rt.RegisterConstantString(foundationName, c[0], c[1]); err != nil {
			return err
		}
	}
	if err := rt.foundationFunctions(); err != nil {
		return err
	}
	if err := rt.RegisterFramework(foundationName, func(*Runtime) error { return nil }); err != nil {
		return fmt.Errorf("objc: %w", err)
	}
	return rt.LoadFramework(foundationName)
}

const foundationName = "Foundation"

// foundationFunctions registers the C functions that query the runtime.
func (rt *Runtime) foundationFunctions() error {
	text := func(id uintptr) string {
		s, err := rt.GoString(ID(id))
		if err != nil {
			panic(err)
		}
		return s
	}
	give := func(s string) uintptr {
		id := rt.NewString(s)
		if err := rt.Autorelease(id); err != nil {
			panic(err)
		}
		return uintptr(id)
	}
	for _, f := range []struct {
		name, enc string
		fn        func(args, ret []uintptr)
	}{
		{"NSClassFromString", "#@", func(args, ret []uintptr) { ret[0] = uintptr(idOf(rt.Class(text(args[0])))) }},
		{"NSSelectorFromString", ":@", func(args, ret []uintptr) { ret[0] = uintptr(rt.Sel(text(args[0]))) }},
		{"NSProtocolFromString", "@@", func(args, ret []uintptr) {
			if p := rt.Protocol(text(args[0])); p != nil {
				ret[0] = uintptr(p.ID())
			}
		}},
		{"NSStringFromClass", "@#", func(args, ret []uintptr) {
			if c := rt.ClassFrom(ID(args[0])); c != nil {
				ret[0] = give(c.Name)
			}
		}},
		{"NSStringFromSelector", "@:", func(args, ret []uintptr) {
			if args[0] != 0 && args[0] <= math.MaxUint32 {
				ret[0] = give(rt.SelName(Sel(args[0])))
			}
		}},
		{"NSStringFromProtocol", "@@", func(args, ret []uintptr) {
			if p := rt.ProtocolFrom(ID(args[0])); p != nil {
				ret[0] = give(p.Name)
			}
		}},
		{"NSHomeDirectory", "@", func(_, ret []uintptr) {
			home, err := os.UserHomeDir()
			if err != nil {
				home = "/"
			}
			ret[0] = give(home)
		}},
		{"NSTemporaryDirectory", "@", func(_, ret []uintptr) { ret[0] = give(os.TempDir()) }},
		{"NSPageSize", "Q", func(_, ret []uintptr) { ret[0] = uintptr(os.Getpagesize()) }},
	} {
		if err := rt.RegisterFunction(foundationName, f.name, f.enc, f.fn); err != nil {
			return err
		}
	}
	return nil
}
