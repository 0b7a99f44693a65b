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

// Release gives up a reference that the caller owns. Releasing nil does nothing. After the last
// reference is released the handle is invalid, and using it is a [Fault].
func Release(id ID) {
	if id != 0 {
		debugReleased(id)
		count("release", id, (*objcsoft.Runtime).Release, (*appleRuntime).releaseObject)
	}
}

// Autorelease hands a reference that the caller owns to the current autorelease pool. Without a
// pool the object is never released, as on a macOS thread that has no pool.
func Autorelease(id ID) {
	if id != 0 {
		debugReleased(id)
		count("autorelease", id, (*objcsoft.Runtime).Autorelease, (*appleRuntime).autoreleaseObject)
	}
}

// count changes a reference count through the driver in use and reports whether it succeeded.
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

// Equal reports whether a and b are the same object or -isEqual: returns YES.
func Equal(a, b ID) bool {
	return a == b || a != 0 && b != 0 && rootMethods[rootIsEqual].Call(a, uintptr(b)) != 0
}

// Copy returns a copy of the object, +1, made by -copy.
func Copy(id ID) ID { return ID(rootMethods[rootCopy].Call(id)) }

// RetainCount returns the object's retain count, or 0 for nil. It is meant for tests: other owners
// may retain and release the object at any time.
func RetainCount(id ID) int { return int(rootMethods[rootRetainCount].Call(id)) }

// Live returns nil if id is the handle of an object that has not been released. Other errors wrap
// [ErrReleased] or [ErrNotObject]. It is for checks that give a clear error: another goroutine may
// release the object before Live returns.
func Live(id ID) error {
	d, err := current()
	if err != nil {
		return err
	}
	return d.alive(id)
}

// Leak is an object to which the program still owns references.
type Leak struct {
	ID    ID
	Class string
	Refs  int    // references that the program owns; with the software driver, all references
	Site  string // file:line where the program received the object; in debug mode only
}

// String describes the leak in one line.
func (l Leak) String() string {
	s := fmt.Sprintf("%s %#x: %d references", l.Class, uintptr(l.ID), l.Refs)
	if l.Refs == 1 {
		s = s[:len(s)-1]
	}
	if l.Site != "" {
		s += ", from " + l.Site
	}
	return s
}

// LiveObjects returns the number of objects to which the program owns references. It is 0 at the
// end of a program that releases everything.
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

// Leaks lists the objects counted by [LiveObjects]. With PUREMETAL_OBJC_DEBUG=1, or in a build with
// the tag "invariants", each entry says where the object came from.
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
