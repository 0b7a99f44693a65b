package gokernel

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestReadOnly: a slice whose elements a kernel only reads is constant in the text.
func TestReadOnly(t *testing.T) {
	for body, constant := range map[string]bool{
		"_ = len(x)":                                   true,
		"v := x[0].A + x[1].N[2]; _ = v":               true,
		"for _, e := range x { v := e.get(); _ = v }":  true,
		"v := x[0].get() + x[x[1].A].A; _ = v":         true,
		"f := func() int32 { return x[1].A }; _ = f()": true,
		"if x[0] == x[1] { return }":                   true,
		"for k := range x[0].N { _ = k }":              true,
		"v := (x)[0]; v.A = 1; _ = v":                  true,
		"x[0].A = 1":                                   false,
		"x[0] = T{}":                                   false,
		"x[0].N[1]++":                                  false,
		"x[0].A += 2":                                  false,
		"x[0].set()":                                   false,
		"(x)[0].A, _ = 1, 2":                           false,
		"p := &x[0]; p.A = 1":                          false,
		"kernel.AtomicAdd(&x[0].A, 1)":                 false,
		"y := x; y[0].A = 1":                           false,
		"y := x[1:]; y[0].A = 1":                       false,
		"n := x[0].N[:]; n[0] = 1":                     false,
		"fill(x)":                                      false,
		"f := func() { x[1].A = 1 }; f()":              false,
		"for x[0].A = range 3 { }":                     false,
		"copy(x, x[1:])":                               false,
	} {
		r, err := translateText(t, `package k

import "github.com/puremetal/puremetal/kernel"

type T struct {
	A int32
	N [3]int32
}

func (t T) get() int32 { return t.A }
func (t *T) set() { t.A = 1 }
func fill(x []T) { x[0].A = 1 }
`+markK+", x []T) {\n"+body+"\n}\n")
		require.NoError(t, err, "%s", body)
		require.Empty(t, r.Refused, "%s", body)
		assert.Equal(t, constant, strings.Contains(r.Text, "device const T* x"), "%s\n%s", body, r.Text)
	}
}
