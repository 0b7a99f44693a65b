// Package graphdata holds the data of MetalPerformanceShadersGraph: the values of its
// enumerations, and the type encodings of the messages that the bindings send. The generator of the
// bindings writes the z files.
//
// The tests in internal/softmps/softgraph compare it with the classes.
package graphdata

import "github.com/puremetal/puremetal/internal/softmetal/adapter"

// FrameworkName is the name of the framework in the runtime and in its messages.
const FrameworkName = "MetalPerformanceShadersGraph"

// Tables are the encodings of the framework's messages and functions.
var Tables = adapter.Tables{Owners: zowners[:], Functions: zfunctions[:]}
