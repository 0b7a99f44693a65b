// Package softmetal implements Metal's classes, functions and constants in software, on the
// Objective-C runtime in package objcsoft. The classes are thin adapters over the compiler (package
// msl) and the engine (package exec). The Go bindings send them the same messages as Apple's
// classes.
//
// The classes are grouped by theme in the packages device, resource, library, encode, metal4 and
// capture. They are built with the toolkit in package adapter and the data in package metal. This
// package registers all of them, makes the devices, notifies device observers, and injects faults.
//
// Concrete classes are private, as Apple's are, and adopt Metal's protocols: PMSoftBuffer adopts
// MTLBuffer. A request that the device cannot fulfill fails with a reason; it never silently
// returns zeros.
package softmetal
