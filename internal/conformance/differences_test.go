package conformance

import (
	"strings"
	"testing"

	"github.com/puremetal/puremetal/objc"
)

// difference is a case, or all of a concept, that one world answers differently.
type difference struct {
	name  string // "concept/case", or "concept/" for all of it
	world string // where the case does not hold
	wrong string // which side is wrong, and "is" or "are"
	why   string
}

// covers reports whether a case is one of the difference's.
func (d difference) covers(name string) bool {
	return name == d.name || strings.HasSuffix(d.name, "/") && strings.HasPrefix(name, d.name)
}

// The worlds that the cases run in.
const (
	software = "software device"
	standins = "stand-ins"
	metal    = "Metal"
)

// world returns where the test runs.
func world() string {
	if d, err := objc.CurrentDriver(); err == nil && d == objc.DriverSoftware {
		return software
	}
	if standin() {
		return standins
	}
	return metal
}

func differences() []difference {
	const notKept, noTextures, no4 = "they take the value and do not keep it", "they have no textures", "they have no Metal 4"
	const noEncoders, notCounted = "they lack this method of argument encoders", "they do not count the threadgroup variables of a kernel"
	const anyArchive, noMembers = "they take any file for an archive and find any kernel in it", "their reflection has no members of structures"
	const undefined = "without shader validation Metal leaves the use of what is not resident undefined; the software device reports it always"
	return []difference{
		{"device/maximize compilation", standins, "the stand-ins are", notKept},
		{"device/linear alignment PixelFormatR8Unorm", standins, "the stand-ins are", noTextures},
		{"device/linear alignment PixelFormatRGBA8Unorm", standins, "the stand-ins are", noTextures},
		{"device/linear alignment PixelFormatR32Float", standins, "the stand-ins are", noTextures},
		{"device/linear alignment PixelFormatRGBA32Float", standins, "the stand-ins are", noTextures},
		{"texture/", standins, "the stand-ins are", noTextures},
		{"texture levels/", standins, "the stand-ins are", noTextures},
		{"texture shape/", standins, "the stand-ins are", noTextures},
		{"texture view/", standins, "the stand-ins are", noTextures},
		{"texture copy/", standins, "the stand-ins are", noTextures},
		{"texture format/", standins, "the stand-ins are", noTextures},
		{"argument resources/texture and sampler", standins, "the stand-ins are", noTextures},
		{"argument resources/array of textures", standins, "the stand-ins are", noTextures},
		{"argument resources/one of the array replaced", standins, "the stand-ins are", noTextures},
		{"argument resources/resource ids", standins, "the stand-ins are", noTextures},
		{"argument resources/ids of a view", standins, "the stand-ins are", noTextures},
		{"heap resources/textures", standins, "the stand-ins are", noTextures},
		{"heap resources/placed one behind the other", standins, "the stand-ins are", noTextures},
		{"heap resources/texture used by a kernel", standins, "the stand-ins are", noTextures},
		{"heap resources/texture of another mode", standins, "the stand-ins are", noTextures},
		{"heap resources/texture too large", standins, "the stand-ins are", noTextures},
		{"heap resources/texture misplaced", standins, "the stand-ins are", noTextures},
		{"heap resources/texture at end", standins, "the stand-ins are", noTextures},
		{"heap resources/aliasable texture", standins, "the stand-ins are", noTextures},
		{"heap resources/nothing taken of the device", standins, "the stand-ins are", noTextures},
		{"heap resources/view takes nothing", standins, "the stand-ins are", noTextures},
		{"heap resources/texture takes memory", standins, "the stand-ins are", noTextures},
		{"argument resources/nested", standins, "the stand-ins are", "they make no encoders of nested argument buffers"},
		{"argument resources/no nested", standins, "the stand-ins are", "they make no encoders of nested argument buffers"},
		{"argument resources/array of argument buffers", standins, "the stand-ins are", noEncoders},
		{"argument resources/with reflection", standins, "the stand-ins are", noEncoders},
		{"argument resources/by binding", standins, "the stand-ins are", noEncoders},
		{"argument resources/constants", standins, "the stand-ins are", "their argument encoders give every argument eight bytes, whatever its size"},
		{"binary archive/empty", standins, "the stand-ins are", anyArchive},
		{"binary archive/another kernel", standins, "the stand-ins are", anyArchive},
		{"binary archive/broken file: no bytes", standins, "the stand-ins are", anyArchive},
		{"binary archive/broken file: text", standins, "the stand-ins are", anyArchive},
		{"binary archive/broken file: cut short", standins, "the stand-ins are", anyArchive},
		{"binary archive/broken file: first byte", standins, "the stand-ins are", anyArchive},
		{"binary archive/broken file: without its head", standins, "the stand-ins are", anyArchive},
		{"pipeline limits/16 bytes of static memory", standins, "the stand-ins are", notCounted},
		{"pipeline limits/4096 bytes of static memory", standins, "the stand-ins are", notCounted},
		{"pipeline limits/32768 bytes of static memory", standins, "the stand-ins are", notCounted},
		{"pipeline limits/too much static memory", standins, "the stand-ins are", notCounted},
		{"validation/", standins, "neither side is", "without its validation layer Metal does not compare what a dispatch is given with what the kernel declares"},
		{"validation/", metal, "neither side is", "without its validation layer Metal does not look, and with it the program ends"},
		{"commands by kernels/", standins, "the stand-ins are", "their compiler has no type command_buffer"},
		{"log/", standins, "the stand-ins are", "they have no log states"},
		{"concurrency/labels", standins, "the stand-ins are", "who reads a label does not keep it, and another may set it meanwhile"},
		{"capture/descriptor", standins, "the stand-ins are", "their descriptor of a capture starts without a destination"},
		{"buffer/purgeable", standins, "the stand-ins are", notKept},
		{"heap/purgeable", standins, "the stand-ins are", notKept},
		{"library/required constant", standins, "the stand-ins are", "they specialise a function although a required constant is missing"},
		{"library/error: kernel returns", standins, "the stand-ins are", "they compile a kernel that returns a value, as their C++ compiler does"},
		{"pipeline/static memory", standins, "the stand-ins are", notCounted},
		{"metal 4 commands/", standins, "the stand-ins are", no4},
		{"metal 4 compute/", standins, "the stand-ins are", no4},
		{"metal 4 copies and counters/", standins, "the stand-ins are", no4},
		{"metal 4 compute/textures' set", metal, "neither is", undefined},
		{"metal 4 copies and counters/copy's set", metal, "neither is", undefined},
		{"metal 4 commands/goes on", metal, "neither is", undefined},
		{"metal 4 commands/queue's set", metal, "neither is", undefined},
		{"metal 4 commands/command buffer's set", metal, "neither is", undefined},
		{"metal 4 commands/uncommitted set", metal, "neither is", undefined},
		{"ordering/function table", standins, "the stand-ins are", "they have no visible function tables"},
		{"pipeline/structure", standins, "the stand-ins are", noMembers},
		{"pipeline/array of arrays", standins, "the stand-ins are", noMembers},
	}
}

// skipDifference skips a case that is known not to hold here.
func skipDifference(t *testing.T, name string) {
	t.Helper()
	w := world()
	for _, d := range differences() {
		if d.world == w && d.covers(name) {
			t.Skipf("differs on the %s: %s wrong here: %s", w, d.wrong, d.why)
		}
	}
}
