// Package softmetal implements Metal's classes, functions and constants in software, on the
// Objective-C runtime in package objcsoft. The classes are thin adapters over the compiler (package
// msl) and the engine (package exec); Go's bindings send them the messages that they would send to
// Apple's.
//
// The classes are in packages by theme: device, resource, library, encode, metal4 and capture. They
// are written over the toolkit in package adapter, with the data in package metal. This package
// registers them all, makes the devices, notifies observers of devices, and injects faults.
//
// Concrete classes are private, as Apple's are, and adopt the protocols: PMSoftBuffer adopts
// MTLBuffer. A request for something that the device cannot do fails with a reason; it never
// silently gives zeros.
package softmetal
