//go:build puremetal_nosoftware

package driver

import "github.com/puremetal/puremetal/internal/objcsoft"

// Register does nothing: the program leaves out the software device.
func Register(*objcsoft.Runtime) error { return nil }
