// Package softmetal is Metal as a software device answers it: the framework's classes, functions and constants, put into the
// Objective-C runtime of package objcsoft. The classes are thin adapters over the compiler (package msl) and the
// engine (package exec/vm); the bindings above send to them what they would send to Apple's.
//
// A class is listed by a function of the file that holds its concept, as a [class]: names and Go methods by selector. The encodings
// come from the generator of the bindings (zencodings.go); a selector that no binding sends is refused at registration.
// Concrete classes are private, as Apple's are, and adopt the protocols: PMSoftBuffer adopts MTLBuffer. Their state
// is the Go value in the object's payload. Plain descriptor classes are rows of a table (record.go).
//
// What the device is asked for and cannot do is a refusal in words (fault.go), never a silent zero.
package softmetal
