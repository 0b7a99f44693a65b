package safetensors_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/puremetal/puremetal/model/safetensors"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "model.safetensors")
	out, err := os.Create(name)
	if err != nil {
		log.Fatal(err)
	}
	defer out.Close()
	err = safetensors.Write(out, map[string]string{"format": "pt"}, []safetensors.NewTensor{
		{Name: "w", Type: safetensors.U8, Shape: []int{2, 3}, Data: []byte{1, 2, 3, 4, 5, 6}}})
	if err != nil {
		log.Fatal(err)
	}

	f, err := safetensors.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	w := f.Tensor("w")
	fmt.Println(f.Metadata["format"], w.Type, w.Shape, w.Bytes())

	// Output: pt U8 [2 3] [1 2 3 4 5 6]
}

func ExampleParse() {
	var b bytes.Buffer
	if err := safetensors.Write(&b, nil, []safetensors.NewTensor{
		{Name: "w", Type: safetensors.U8, Shape: []int{2}, Data: []byte{1, 2}}}); err != nil {
		log.Fatal(err)
	}
	_, err := safetensors.Parse("short", b.Bytes()[:b.Len()-1])
	fmt.Println(errors.Is(err, safetensors.ErrFormat))

	// Output: true
}
