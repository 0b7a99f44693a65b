package objc

import (
	"fmt"

	"github.com/ebitengine/purego"

	"github.com/puremetal/puremetal/internal/standin"
)

// finalCounts asks the stand-in frameworks, if the test runs against them, what is left: they count
// objects autoreleased without a pool and pools drained on the wrong thread.
func finalCounts() error {
	lib, is, err := standin.Library()
	if err != nil || !is {
		return err
	}
	var counter func(string) int64
	var live func(string) int64
	purego.RegisterLibFunc(&counter, lib, "vmac_counter")
	purego.RegisterLibFunc(&live, lib, "vmac_live")
	for name, want := range map[string]int64{"nopool": outsidePools, "poolthread": 0, "nilarg": 0} {
		if n := counter(name); n != want {
			return fmt.Errorf("the stand-in counts %d %s, not %d", n, name, want)
		}
	}
	if n := live("MTLDevice"); n > 1 {
		return fmt.Errorf("%d devices are left", n)
	}
	return nil
}
