package objc

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// Retain adds a reference that the caller owns. Retaining nil does nothing.
func Retain(id ID) {
	if id != 0 && count("retain", id, (*objcsoft.Runtime).Retain, (*appleRuntime).retainObject) {
		debugRetained(id)
	}
}

// Release gives up a reference that the caller owns. Releasing nil does nothing; a handle whose
// last reference is gone is dead, and every further use of it is a [Fault].
func Release(id ID) {
	if id != 0 {
		debugReleased(id)
		count("release", id, (*objcsoft.Runtime).Release, (*appleRuntime).releaseObject)
	}
}

// Autorelease hands a reference that the caller owns to the autorelease pool in place. Without one
// the object lives on, as it would on a thread without pool under macOS.
func Autorelease(id ID) {
	if id != 0 {
		debugReleased(id)
		count("autorelease", id, (*objcsoft.Runtime).Autorelease, (*appleRuntime).autoreleaseObject)
	}
}

// count changes a reference count with the driver in use and reports whether it could.
func count(op string, id ID, soft func(*objcsoft.Runtime, objcsoft.ID) error,
	apple func(*appleRuntime, ID) error) bool {
	d, err := current()
	switch {
	case err != nil:
	case d.soft != nil:
		err = soft(d.soft, objcsoft.ID(id))
	default:
		err = apple(d.apple, id)
	}
	if err != nil {
		report(op, err)
	}
	return err == nil
}

// Methods of NSObject, in the order of the constants below.
var rootMethods = [...]Method{
	{Class: "NSObject", Selector: "description", Encoding: "@@:", Protocol: true},
	{Class: "NSObject", Selector: "isEqual:", Encoding: "B@:@", Protocol: true},
	{Class: "NSObject", Selector: "hash", Encoding: "Q@:", Protocol: true},
	{Class: "NSObject", Selector: "isKindOfClass:", Encoding: "B@:#", Protocol: true},
	{Class: "NSObject", Selector: "conformsToProtocol:", Encoding: "B@:@", Protocol: true},
	{Class: "NSObject", Selector: "retainCount", Encoding: "Q@:", Protocol: true},
	{Class: "NSObject", Selector: "copy", Encoding: "@@:", Retained: true},
}

const (
	rootDescription = iota
	rootIsEqual
	rootHash
	rootIsKindOfClass
	rootConformsToProtocol
	rootRetainCount
	rootCopy
)

// Description returns what -description answers, or "" for nil.
func Description(id ID) string { return rootMethods[rootDescription].CallString(id) }

// Equal reports whether a and b are the same object or -isEqual: says so.
func Equal(a, b ID) bool {
	return a == b || a != 0 && b != 0 && rootMethods[rootIsEqual].Call(a, uintptr(b)) != 0
}

// Copy returns a copy of the object, +1, by -copy.
func Copy(id ID) ID { return ID(rootMethods[rootCopy].Call(id)) }

// RetainCount returns the object's retain count, 0 for nil. It is a figure for tests: other owners
// come and go.
func RetainCount(id ID) int { return int(rootMethods[rootRetainCount].Call(id)) }

// Leak is an object of which the program still owns references.
type Leak struct {
	ID    ID
	Class string
	Refs  int    // references the program owns; with the software driver, all
	Site  string // file:line where the object came to the program; in debug mode only
}

// String returns the leak in one line.
func (l Leak) String() string {
	s := fmt.Sprintf("%s %#x: %d references", l.Class, uintptr(l.ID), l.Refs)
	if l.Site != "" {
		s += ", from " + l.Site
	}
	return s
}

// LiveObjects returns how many objects the program owns references of: 0 at the end of a program
// that releases everything.
func LiveObjects() int {
	d := driverInUse.Load()
	switch {
	case d == nil:
		return 0
	case d.soft != nil:
		return d.soft.LiveTotal()
	}
	return d.apple.liveObjects()
}

// Leaks lists the objects that [LiveObjects] counts. With PUREMETAL_OBJC_DEBUG=1, or in a build
// with the tag "invariants", each says where it came from.
func Leaks() []Leak {
	d := driverInUse.Load()
	switch {
	case d == nil:
		return nil
	case d.soft != nil:
		return softLeaks(d.soft)
	}
	ls := d.apple.leaks()
	for i := range ls {
		ls[i].Site = debugSite(ls[i].ID)
	}
	return ls
}

func softLeaks(rt *objcsoft.Runtime) []Leak {
	var ls []Leak
	for _, l := range rt.Leaks() {
		ls = append(ls, Leak{ID: ID(l.ID), Class: l.Class, Refs: l.Refs, Site: l.Site})
	}
	return ls
}
