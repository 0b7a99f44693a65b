package gokernel

import (
	"context"
	"os"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	t0 := time.Now()
	r, err := Translate(context.Background(), os.DirFS("../.."), os.Getenv("ZDIR"), Options{})
	t.Log(time.Since(t0))
	os.WriteFile("/tmp/s5/go.metal", []byte(r.Text), 0o644)
	for _, x := range r.Refused {
		t.Log(x)
	}
	t.Log(err)
}
