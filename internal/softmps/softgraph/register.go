package softgraph

import (
	"errors"
	"slices"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps"
	"github.com/puremetal/puremetal/internal/softmps/graphdata"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
)

// Register registers MPSGraph with a runtime, and MPS, whose arrays it uses. The runtime calls it
// when one of the framework's classes, functions or constants is first used.
func Register(rt *objcsoft.Runtime) error {
	err := rt.RegisterFramework(mpsdata.FrameworkName, softmps.Register)
	if err != nil && !errors.Is(err, objcsoft.ErrDuplicate) {
		return err
	}
	if err := rt.LoadFramework(mpsdata.FrameworkName); err != nil {
		return err
	}
	f := adapter.NewFramework(rt, graphdata.FrameworkName, &graphdata.Tables)
	if err := f.RegisterProtocols(); err != nil {
		return err
	}
	return f.RegisterClasses(classes(f))
}

// classes lists the classes of all files.
func classes(f *adapter.Framework) []adapter.Class {
	all := slices.Concat(graphClasses(f), dataClasses(), descriptorClasses(), executableClasses())
	for _, m := range []adapter.Methods{runMethods(), leafMethods(), elementwiseMethods(), shapeMethods(),
		sliceMethods(), reduceMethods(), linearMethods(), gradientMethods(), convolutionMethods(), poolingMethods(),
		indexMethods(), resizeMethods(), fourierMethods(), randomMethods(), quantizeMethods(), blockMethods(),
		recurrentMethods(), recurrentGradientMethods(), matrixMethods(), sampleMethods(),
		backwardMethods(), optimizerMethods(), updateMethods(), controlMethods()} {
		all = append(all, adapter.Class{Name: "MPSGraph", Methods: m})
	}
	return all
}
