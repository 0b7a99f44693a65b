package objc_test

import (
	"fmt"

	"github.com/puremetal/puremetal/objc"
)

// Make an array of strings, send it a message and release it. The method's encoding says that count
// returns an NSUInteger.
func Example() {
	objc.Pool(func() {
		a, b := objc.NewString("vertex"), objc.NewString("kernel")
		array := objc.NewArray([]objc.Object{objc.ObjectFrom(a), objc.ObjectFrom(b)})
		objc.Release(a) // the array holds its elements
		objc.Release(b)
		defer objc.Release(array)

		count := objc.Method{Class: "NSArray", Selector: "count", Encoding: "Q@:"}
		fmt.Println(count.Call(array), objc.ArrayOf(array, objc.GoString))
	})
	// Output: 2 [vertex kernel]
}
