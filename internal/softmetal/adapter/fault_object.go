package adapter

import (
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/objcsoft"
)

// ObjectFaults makes methods that create objects return nil on demand, as a framework may when it
// runs out of resources.
type ObjectFaults struct {
	every, count atomic.Int64
}

// FailEvery makes every n-th attempt fail, none if n is 0, and starts counting at zero.
func (f *ObjectFaults) FailEvery(n int) {
	f.count.Store(0)
	f.every.Store(int64(n))
}

// Attempts returns the number of attempts since FailEvery.
func (f *ObjectFaults) Attempts() int { return int(f.count.Load()) }

// around returns a method that makes an object, or nil where a failure is due. A method with an
// NSError leaves it nil.
func (f *ObjectFaults) around(create objcsoft.Imp) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		if every := f.every.Load(); every > 0 && f.count.Add(1)%every == 0 {
			return // the result is zero until a method sets another
		}
		create(c)
	}
}
