package mtl

import (
	"fmt"

	"github.com/ebitengine/purego"

	"github.com/puremetal/puremetal/internal/standin"
)

// finalCounts asks the stand-in frameworks, if the test runs against them, which Metal objects are
// left, and what was autoreleased without a pool, drained on the wrong thread or nil where it must
// not be.
func finalCounts() error {
	lib, is, err := standin.Library()
	if err != nil || !is {
		return err
	}
	var counter, live func(string) int64
	purego.RegisterLibFunc(&counter, lib, "vmac_counter")
	purego.RegisterLibFunc(&live, lib, "vmac_live")
	for _, name := range []string{"nopool", "poolthread", "nilarg"} {
		if n := counter(name); n != 0 {
			return fmt.Errorf("the stand-in counts %d %s", n, name)
		}
	}
	return leftObjects(live)
}

// leftObjects names a class or protocol of which objects are still alive.
func leftObjects(live func(string) int64) error {
	for i := range zclasses {
		if n := live(zclasses[i].Name); n != 0 && zclasses[i].Name != "MTLCaptureManager" { // which is a singleton
			return fmt.Errorf("%d objects of class %s are left", n, zclasses[i].Name)
		}
	}
	seen := map[string]bool{"MTLDevice": true, "MTLCounterSet": true, "MTLCounter": true} // those of the machine stay
	for i := range zmethods {
		m := &zmethods[i]
		if !m.Protocol || seen[m.Class] {
			continue
		}
		seen[m.Class] = true
		if n := live(m.Class); n != 0 {
			return fmt.Errorf("%d objects of protocol %s are left", n, m.Class)
		}
	}
	return nil
}
