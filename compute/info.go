package compute

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// Info describes a device and its limits.
type Info struct {
	Index      int // in the order of [Devices]
	Name       string
	RegistryID uint64
	Software   bool   // this library's own device, which runs kernels on the CPU
	Engine     string // what runs kernels on the software device, and why nothing faster; empty on a GPU
	Families   []mtl.GPUFamily
	Limits     mtl.Limits // in bytes and threads; queried when the device was opened
	LowPower   bool       // the weaker GPU of a Mac with two
	Removable  bool

	// Memory is the machine's memory in bytes. The GPU shares it if Limits.UnifiedMemory is true.
	Memory uint64

	SIMDWidth int // threads of a simdgroup: 32 on every Apple GPU and on the software device

	// BandwidthGBs is the chip's memory bandwidth according to Apple's specifications, in 10^9 bytes
	// per second; 0 if the chip is not known. It is not a measurement. Some chips exist with different
	// numbers of GPU cores and bandwidths; this is the lower figure.
	BandwidthGBs float64

	phases bool // the program asks for GridSync.Phases
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

// HasSimdgroupMatrices reports whether the GPU's family supports the multiplication of simdgroup
// matrices. According to Apple's feature set tables, the families from Apple7 on do, and no other
// GPU of a Mac. A pipeline that uses it may still not fit a launch: see [Kernel.ExecutionWidth] and
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

// simdWidth is the simdgroup width of every GPU that macOS 13 supports, according to Metal's
// feature set tables. The exception is Intel, where the width depends on the kernel; see
// [Kernel.ExecutionWidth].
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
	engine := ""
	if driver == objc.DriverSoftware {
		e, err := objc.SoftwareEngine()
		if err != nil {
			return Info{}, err
		}
		engine = e.Description
	}
	name := d.Name()
	return Info{
		Index: index, Name: name, RegistryID: d.RegistryID(), Software: driver == objc.DriverSoftware, Engine: engine,
		Families: d.Families(), Limits: d.Limits(), LowPower: d.IsLowPower(), Removable: d.IsRemovable(),
		Memory: process.PhysicalMemory, SIMDWidth: simdWidth, BandwidthGBs: bandwidth(name),
	}, nil
}

// bandwidth returns the memory bandwidth of a chip from Apple's specifications (the "tech specs" of
// the Macs that contain it).
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

// runsIndirect reports whether graphs use indirect commands. On GPUs of older families a pipeline
// is said not to be resident for indirect commands unless it is also dispatched directly.
func (i Info) runsIndirect() bool {
	return i.Software || slices.Contains(i.Families, mtl.GPUFamilyApple9)
}
