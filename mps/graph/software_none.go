//go:build puremetal_nosoftware

package graph

import "github.com/puremetal/puremetal/internal/objcsoft"

// software does nothing: the program leaves out the software device.
func software(*objcsoft.Runtime) error { return nil }
