package objc

import "fmt"

// ID is a checked handle of an Objective-C object. The zero ID is nil: a message to it returns
// zero.
//
// A handle is never an address. It carries a generation: once this program has released its last
// reference to an object, the handle never refers to the object that takes its place. Two handles
// of the same live object are equal.
type ID uintptr

// IsNil reports whether id is nil.
func (id ID) IsNil() bool { return id == 0 }

// Word returns id as an argument word.
func (id ID) Word() uintptr { return uintptr(id) }

// ID returns id itself, so that generic functions that need an ID method accept plain IDs too.
func (id ID) ID() ID { return id }

// Retain adds a reference that the caller owns and returns id. Retaining nil does nothing.
func (id ID) Retain() ID {
	Retain(id)
	return id
}

// Release gives up a reference that the caller owns. Releasing nil does nothing; releasing more
// often than retaining is a [Fault].
func (id ID) Release() { Release(id) }

// Object is embedded by the typed wrappers, such as those of package mtl: an ID with the methods of
// every object. The zero Object is nil.
type Object struct{ id ID }

// ObjectFrom wraps id without changing its ownership.
func ObjectFrom(id ID) Object { return Object{id} }

// ID returns the object's handle.
func (o Object) ID() ID { return o.id }

// IsNil reports whether o wraps nil.
func (o Object) IsNil() bool { return o.id == 0 }

// Word returns the object's handle as an argument word.
func (o Object) Word() uintptr { return uintptr(o.id) }

// Retain adds a reference that the caller owns.
func (o Object) Retain() { Retain(o.id) }

// Release gives up a reference that the caller owns; see [ID.Release].
func (o Object) Release() { Release(o.id) }

// Autorelease hands a reference that the caller owns to the current autorelease pool; see
// [Autorelease].
func (o Object) Autorelease() { Autorelease(o.id) }

// Description returns the result of -description, or "" for nil.
func (o Object) Description() string { return Description(o.id) }

// Class returns the object's class, or the zero Class for nil.
func (o Object) Class() Class { return ClassOf(o.id) }

// Version is a macOS version: major<<8 | minor. Zero means unknown.
type Version uint16

// MakeVersion returns the Version major.minor.
func MakeVersion(major, minor int) Version { return Version(major<<8 | minor&0xff) }

// Major returns the major number.
func (v Version) Major() int { return int(v >> 8) }

// Minor returns the minor number.
func (v Version) Minor() int { return int(v & 0xff) }

// String returns the version as in "macOS 13.3".
func (v Version) String() string {
	if v == 0 {
		return "an unknown version of macOS"
	}
	return fmt.Sprintf("macOS %d.%d", v.Major(), v.Minor())
}
