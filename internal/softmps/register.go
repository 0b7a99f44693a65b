package softmps

import (
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
)

// forwarded adds the messages of Metal that classes of MPS answer to the tables, once.
var forwarded sync.Once

// Register registers Metal Performance Shaders with a runtime. The runtime calls it when one of the
// framework's classes, functions or constants is first used.
func Register(rt *objcsoft.Runtime) error {
	if err := rt.LoadFramework(metal.FrameworkName); err != nil { // for its protocols
		return err
	}
	forwarded.Do(func() { mpsdata.Tables.Own = []adapter.Owner{*commandBufferMessages()} })
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
		topClasses(), copyClasses(), randomClasses(), matrixLayerClasses(), optimizerClasses(),
		temporaryClasses(), quantizeClasses(), imageMatrixClasses(), arrayGradientClasses(),
		commandBufferClasses(), imageClasses(),
		imageKernelClasses(), windowClasses(), pointClasses(), reductionClasses(), histogramClasses(),
		cnnKernelClasses(), paddingClasses(), allocatorClasses(), stateClasses(),
		layerClasses(), convolutionDescriptorClasses(), convolutionClasses(), convolutionGradientClasses(),
		stateOptimizerClasses(), arithmeticClasses(), imageReductionClasses(),
		reshapeClasses())
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
