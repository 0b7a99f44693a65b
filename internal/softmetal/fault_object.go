package softmetal

import (
	"strings"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// objectFaults makes objects nil that programs ask for, as Metal may where it has no room.
type objectFaults struct {
	every, count atomic.Int64
}

func (f *objectFaults) failEvery(n int) {
	f.count.Store(0)
	f.every.Store(int64(n))
}

func (f *objectFaults) attempts() int { return int(f.count.Load()) }

// around returns a method that makes an object, or nil where a failure is due. A method with an NSError leaves it nil.
func (f *objectFaults) around(make objcsoft.Imp) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		if every := f.every.Load(); every > 0 && f.count.Add(1)%every == 0 {
			return // what is returned is zero until a method says otherwise
		}
		make(c)
	}
}

// makesObject reports whether a method makes an object for the program at once, other than a list or a description.
func makesObject(class, sel string) bool {
	if strings.Contains(class, "Encoder") || strings.Contains(sel, "completionHandler:") {
		return false // an encoder's commandBuffer is there already
	}
	for _, prefix := range []string{"new", "commandBuffer", "computeCommandEncoder", "blitCommandEncoder"} {
		if strings.HasPrefix(sel, prefix) {
			return true
		}
	}
	return false
}
