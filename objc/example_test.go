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

// Make a class with a method in Go, and send its objects a message.
func ExampleNewClass() {
	class, err := objc.NewClass(objc.ClassSpec{Name: "ExampleTemperature", Methods: []objc.MethodSpec{
		{Selector: "isEqual:", Encoding: "B@:@", Func: func(_ objc.ID, value any, args, ret []uintptr) {
			fmt.Println("is", value, "the one?")
			ret[0] = objc.Bool(value == 21)
		}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var objects []objc.ID
	for _, degrees := range []int{19, 20, 21, 22} {
		o, err := class.New(degrees)
		if err != nil {
			fmt.Println(err)
			return
		}
		defer objc.Release(o)
		objects = append(objects, o)
	}
	isEqual := objc.Method{Class: class.Name(), Selector: "isEqual:", Encoding: "B@:@"}
	for i, o := range objects {
		if isEqual.Call(o, objects[0].Word()) != 0 {
			value, _ := class.Value(o)
			fmt.Println("object", i, "with", value)
		}
	}
	// Output:
	// is 19 the one?
	// is 20 the one?
	// is 21 the one?
	// object 2 with 21
	// is 22 the one?
}
