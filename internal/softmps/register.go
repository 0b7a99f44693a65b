package softmps

import (
	"slices"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
)

// Register registers Metal Performance Shaders with a runtime. The runtime calls it when one of the
// framework's classes, functions or constants is first used.
func Register(rt *objcsoft.Runtime) error {
	f := adapter.NewFramework(rt, mpsdata.FrameworkName, &mpsdata.Tables)
	if err := f.RegisterProtocols(); err != nil {
		return err
	}
	if err := f.RegisterClasses(classes(f)); err != nil {
		return err
	}
	for name, fn := range functions() {
		if err := f.RegisterFunction(name, fn); err != nil {
			return err
		}
	}
	return nil
}

// classes lists the classes of all files.
func classes(f *adapter.Framework) []adapter.Class {
	return slices.Concat(kernelClasses(), ndarrayClasses(f), matrixClasses(), multiplicationClasses(), rowClasses(),
		arrayKernelClasses(), solveClasses(),
		topClasses(), copyClasses())
}

// functions returns the framework's C functions.
func functions() map[string]func(args, ret []uintptr) {
	return map[string]func(args, ret []uintptr){
		"MPSSupportsMTLDevice": func(args, ret []uintptr) {
			if args[0] != 0 {
				ret[0] = 1
			}
		},
	}
}
