package conformance

import (
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// difference is a case, or all of a concept, that one platform answers differently.
type difference struct {
	name     string // "concept/case", or "concept/" for all of it
	platform string // where the case does not hold
	wrong    string // which side is wrong, and "is" or "are"
	why      string
	holds    []string // cases of the concept that hold there too
}

// covers reports whether a case is one of the difference's.
func (d difference) covers(name string) bool {
	if name == d.name {
		return true
	}
	rest, ok := strings.CutPrefix(name, d.name)
	return ok && strings.HasSuffix(d.name, "/") && !slices.Contains(d.holds, rest)
}

// The platforms that the cases run in.
const (
	software    = "software device"
	standins    = "stand-ins"
	metal       = "Metal"
	paravirtual = "paravirtual GPU" // Metal in a virtual machine, such as a hosted runner of CI
)

// platform returns where the test runs.
func platform() string {
	if d, err := objc.CurrentDriver(); err == nil && d == objc.DriverSoftware {
		return software
	}
	if standin.Running() {
		return standins
	}
	if d, err := mtl.CreateSystemDefaultDevice(); err == nil {
		defer d.Release()
		if strings.Contains(d.Name(), "Paravirtual") {
			return paravirtual
		}
	}
	return metal
}

// differences lists the known differences. The paravirtual GPU has all of Metal's, and none of its
// own yet: nobody has seen the cases run there.
func differences() []difference {
	const no4 = "they have no Metal 4"
	const unchecked = "without its validation layer Metal does not compare the arguments of a dispatch " +
		"with the kernel's declarations"
	const undefined = "without shader validation Metal leaves the use of what is not resident undefined; " +
		"the software device reports it always"
	valid := []string{"mended in time"}
	refused := []string{"metal 3: too many threads", "indirect: too many threads"} // by package mtl
	return []difference{
		{"validation/", standins, "neither side is", unchecked, valid},
		{"validation/", metal, "neither side is", unchecked + ", and with it the program ends", valid},
		{"dispatch misuse/", standins, "neither side is", unchecked, refused},
		{"dispatch misuse/", metal, "neither side is", unchecked + ", and with it the program ends", refused},
		{"metal 4 dispatch/", standins, "the stand-ins are", no4, nil},
		{"metal 4 commands/", standins, "the stand-ins are", no4, nil},
		{"metal 4 compute/", standins, "the stand-ins are", no4, nil},
		{"metal 4 copies and counters/", standins, "the stand-ins are", no4, nil},
		{"remote texture/", standins, "the stand-ins are", "they have no remote views of textures", nil},
		{"metal 4 compute/textures' set", metal, "neither is", undefined, nil},
		{"metal 4 copies and counters/copy's set", metal, "neither is", undefined, nil},
		{"metal 4 commands/goes on", metal, "neither is", undefined, nil},
		{"metal 4 commands/queue's set", metal, "neither is", undefined, nil},
		{"metal 4 commands/command buffer's set", metal, "neither is", undefined, nil},
		{"metal 4 commands/uncommitted set", metal, "neither is", undefined, nil},
	}
}

// differenceOf returns the difference that covers a case on a platform.
func differenceOf(w, name string) (difference, bool) {
	for _, d := range differences() {
		here := d.platform == w || d.platform == metal && w == paravirtual
		if here && d.covers(name) {
			return d, true
		}
	}
	return difference{}, false
}
