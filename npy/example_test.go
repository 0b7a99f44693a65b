package npy_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/puremetal/puremetal/npy"
)

func Example() {
	array, err := npy.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer // or npy.WriteFile
	if err := npy.Write(&file, array); err != nil {
		log.Fatal(err)
	}
	back, err := npy.Read(&file)
	if err != nil {
		log.Fatal(err)
	}
	values, err := npy.Values[float32](back)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(back.Type, back.Shape, values)

	// Output: f4 [2 3] [1 2 3 4 5 6]
}
