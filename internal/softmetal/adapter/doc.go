// Package adapter is the toolkit for writing an Objective-C framework's classes in Go, on the
// runtime in package objcsoft. It knows no framework's classes: package softmetal writes Metal's
// over it, and other frameworks can do so without importing softmetal.
//
// A framework is a [Framework] in one runtime, made of generated [Tables]: the type encodings of
// all messages and C functions that the Go bindings send. Registering a selector that the tables do
// not have is an error, because nothing could send it.
//
// A class is a [Class]: its name, superclass and protocols, and its methods by selector. An
// object's state is the Go value in its payload; [Method] makes a method of a Go method of that
// value. Several entries of one name are one class, so that a package can add methods to a class
// that another package declares: a constructor of the device stands with the concept that it
// creates. A plain class, such as a descriptor, has no code of its own: [Properties] list what it
// stores, and [Record] is the payload.
//
// A call that breaks the framework's rules fails with [Misuse], which raises an exception in the
// caller. A call with an NSError parameter fails with [Refuse]. A method with a completion handler
// runs in [Background] and ends with [Complete].
//
// The package imports internal/objcsoft and internal/typeenc only.
package adapter
