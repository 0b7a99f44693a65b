package compute

import (
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// Info says what a device is and how much it takes.
type Info struct {
	Index      int // in the order of [Devices]
	Name       string
	RegistryID uint64
	Software   bool // the device of this library's own, which runs kernels on the processor
	Families   []mtl.GPUFamily
	Limits     mtl.Limits // bytes and threads; measured or asked when the device was opened
	LowPower   bool       // one of the smaller of two GPUs
	Removable  bool

	// Memory is how many bytes of memory the machine has, of which the GPU has its share where
	// [mtl.Limits] says that it is unified.
	Memory uint64

	SIMDWidth int // threads that run in step; 32 on every Apple GPU, and on the software device

	// BandwidthGBs is the memory bandwidth that Apple's specifications give the chip of that name,
	// in 10^9 bytes a second; 0 where the name is not known. It is a class, not a measurement:
	// chips of one name exist with different numbers of GPU cores; this is the lower figure.
	BandwidthGBs float64
}

// String returns one line: name, driver, memory.
func (i Info) String() string {
	driver := "Metal"
	if i.Software {
		driver = "software"
	}
	return fmt.Sprintf("%s (%s, %d MiB recommended working set)", i.Name, driver,
		i.Limits.RecommendedMaxWorkingSetSize>>20)
}

// HasSimdgroupMatrices reports whether the GPU's family has multiplication of simdgroup matrices.
// By Apple's feature set tables, Apple7 and later families have it, and no other GPU of a Mac. A
// pipeline that uses it may still not fit a launch: see [Kernel.ExecutionWidth] and
// [Kernel.MaxThreads].
func (i Info) HasSimdgroupMatrices() bool { return i.appleSilicon() }

// appleSilicon reports whether the GPU is one of Apple's own.
func (i Info) appleSilicon() bool {
	for _, f := range i.Families {
		if f == mtl.GPUFamilyApple7 {
			return true
		}
	}
	return false
}

// simdWidth is what Metal's feature set tables give every GPU that macOS 13 runs on, Intel's
// excepted, whose width depends on the kernel: for those it is what pipelines say
// ([Kernel.ExecutionWidth]).
const simdWidth = 32

// infoOf describes a device. It is called inside an autorelease pool.
func infoOf(index int, d mtl.Device) (Info, error) {
	driver, err := objc.CurrentDriver()
	if err != nil {
		return Info{}, err
	}
	process, err := objc.ReadProcessInfo()
	if err != nil {
		return Info{}, err
	}
	name := d.Name()
	return Info{
		Index: index, Name: name, RegistryID: d.RegistryID(), Software: driver == objc.DriverSoftware,
		Families: d.Families(), Limits: d.Limits(), LowPower: d.IsLowPower(), Removable: d.IsRemovable(),
		Memory: process.PhysicalMemory, SIMDWidth: simdWidth, BandwidthGBs: bandwidth(name),
	}, nil
}

// bandwidth returns the figure of Apple's specifications ("tech specs" of the Macs with each chip)
// for a chip's name.
func bandwidth(name string) float64 {
	chip, found := strings.CutPrefix(name, "Apple ")
	if !found {
		return 0
	}
	switch chip {
	case "M1":
		return 68.25
	case "M2", "M3":
		return 100
	case "M4":
		return 120
	case "M5":
		return 153
	case "M1 Pro", "M2 Pro":
		return 200
	case "M3 Pro":
		return 150
	case "M4 Pro":
		return 273
	case "M1 Max", "M2 Max":
		return 400
	case "M3 Max":
		return 300
	case "M4 Max":
		return 410
	case "M1 Ultra", "M2 Ultra", "M3 Ultra":
		return 800
	}
	return 0
}
