package gokernel

import (
	"context"
	"os"
	"testing"
)

func TestZZ(t *testing.T) {
	r, err := Translate(context.Background(), os.DirFS("testdata"), "basic", Options{})
	t.Log(r.Text)
	for _, x := range r.Refused {
		t.Log(x)
	}
	t.Log(err)
}
