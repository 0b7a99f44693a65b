// Package adapter is a toolkit for writing the classes of an Objective-C framework in Go, on the
// runtime in package objcsoft. It is independent of any framework: package softmetal uses it for
// Metal's classes, and other frameworks can use it without importing softmetal.
//
// A [Framework] is a framework in one runtime. It is based on generated [Tables] with the type
// encodings of all messages and C functions that the Go bindings use. Registering a selector that
// is not in the tables is an error, because nothing could send it.
//
// A [Class] declares a class: its name, superclass and protocols, and its methods by selector. An
// object's state is the Go value in its payload; [Method] wraps a Go method of that value. Several
// Class entries with the same name are merged, so a package can add methods to a class of another
// package: each constructor of the device class is declared beside the class that it creates. A
// plain class, such as a descriptor, has no code of its own: [Properties] lists its properties, and
// [Record] is its payload.
//
// A call that breaks the framework's rules fails with [Misuse], which raises an exception in the
// caller. A call with an NSError parameter fails with [Refuse]. A method with a completion handler
// runs in [Background] and ends with [Complete].
//
// The package imports internal/objcsoft and internal/typeenc only.
package adapter
