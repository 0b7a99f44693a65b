package gguf_test

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/puremetal/puremetal/model/gguf"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "small.gguf")

	// Write a file with two keys and a tensor of 2 x 4 bytes.
	architecture, err := gguf.NewValue("llama")
	if err != nil {
		log.Fatal(err)
	}
	layers, err := gguf.NewValue(uint32(4))
	if err != nil {
		log.Fatal(err)
	}
	out, err := os.Create(name)
	if err != nil {
		log.Fatal(err)
	}
	defer out.Close()
	err = gguf.Write(out, []gguf.Pair{{Key: "general.architecture", Value: architecture},
		{Key: "llama.block_count", Value: layers}},
		[]gguf.NewTensor{{Name: "w", Type: gguf.I8, Shape: []int{2, 4}, Data: []byte{1, 2, 3, 4, 5, 6, 7, 8}}})
	if err != nil {
		log.Fatal(err)
	}

	// Read it.
	f, err := gguf.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	n, err := f.Uint("llama.block_count")
	if err != nil {
		log.Fatal(err)
	}
	w := f.Tensor("w")
	fmt.Println(n, w.Type, w.Shape, w.Bytes())

	// Output: 4 i8 [2 4] [1 2 3 4 5 6 7 8]
}

func ExampleFile_Ints() {
	kinds, err := gguf.NewValue([]int32{2, 3, 1})
	if err != nil {
		log.Fatal(err)
	}
	var b bytes.Buffer
	if err := gguf.Write(&b, []gguf.Pair{{Key: "types", Value: kinds}}, nil); err != nil {
		log.Fatal(err)
	}
	f, err := gguf.Parse("f", b.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Ints("types"))
	_, err = f.Strings("types")
	fmt.Println(err)

	// Output:
	// [2 3 1] <nil>
	// f: types is array of 3 int32, want an array of strings: not a valid GGUF file
}
