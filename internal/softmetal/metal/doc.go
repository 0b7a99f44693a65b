// Package metal holds Metal's data: the values of its enumerations, the type encodings of its
// messages and functions, pixel formats by name, error domains and string constants. The generator
// of the bindings writes the z files. The package imports the toolkit's types
// (internal/softmetal/adapter) only.
//
// Tests in internal/softmetal compare it with what the classes implement.
package metal
