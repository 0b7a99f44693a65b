package tensor_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/npy"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNPY: arrays of each type become tensors and files again; views are written in their own
// order.
func TestNPY(t *testing.T) {
	_, s := open(t)
	dir := t.TempDir()
	for typ, bytes := range map[npy.Type][]byte{
		npy.Bool: {0, 1, 1, 0, 1, 0}, npy.Int8: {0, 255, 2, 3, 4, 5}, npy.Uint64: make([]byte, 48),
		npy.Float16: {0, 0x3c, 0, 0xbc, 0, 0x40, 0, 0, 0, 0, 0, 0},
	} {
		a := &npy.Array{Type: typ, Shape: []int{2, 3}, Data: bytes}
		x := tensor.FromNPY(s, a, 0)
		back, err := tensor.ToNPY(t.Context(), x)
		require.NoError(t, err, typ)
		assert.Equal(t, a, back)

		name := filepath.Join(dir, string(typ)+".npy")
		require.NoError(t, tensor.SaveNPY(t.Context(), name, x.T()))
		y := tensor.LoadNPY(s, name, 0)
		assert.Equal(t, []int{3, 2}, y.Shape())
		assert.Equal(t, values(t, x.T()), values(t, y))
	}
	one := tensor.FromNPY(s, &npy.Array{Type: npy.Int32, Data: []byte{7, 0, 0, 0}}, tensor.Float16)
	assert.Equal(t, "float16[]", one.String())
	assert.Equal(t, []float64{7}, values(t, one))
	double := binary.LittleEndian.AppendUint64(nil, math.Float64bits(math.Pi))
	pi := tensor.FromNPY(s, &npy.Array{Type: npy.Float64, Shape: []int{}, Data: double}, tensor.Float32)
	assert.Equal(t, []float64{float64(float32(math.Pi))}, values(t, pi))
	assert.Equal(t, []int{}, pi.Shape())
	require.NoError(t, s.Err())
}

func TestNPZ(t *testing.T) {
	_, s := open(t)
	name := filepath.Join(t.TempDir(), "weights.npz")
	w := tensor.Of(s, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	empty := tensor.Of(s, []int8{}, 0, 2)
	require.NoError(t, tensor.SaveNPZ(t.Context(), name, map[string]*tensor.Tensor{"w": w.T(), "none": empty}))
	entries, err := npy.ReadArchiveFile(name, npy.ArchiveOptions{})
	require.NoError(t, err)
	assert.Equal(t, []string{"none", "w"}, []string{entries[0].Name, entries[1].Name})
	all := tensor.LoadNPZ(s, name, 0, npy.ArchiveOptions{})
	require.Len(t, all, 2)
	assert.Equal(t, []float64{1, 4, 2, 5, 3, 6}, values(t, all["w"]))
	assert.Equal(t, "int8[0 2]", all["none"].String())
	half := tensor.LoadNPZ(s, name, tensor.BFloat16, npy.ArchiveOptions{})
	assert.Equal(t, "bfloat16[3 2]", half["w"].String())
	require.NoError(t, s.Err())

	err = tensor.SaveNPZ(t.Context(), name, half)
	require.ErrorIs(t, err, tensor.ErrType)
	assert.ErrorContains(t, err, name+`: entry "none": tensor: to npy of bfloat16[0 2]`)
	again, err := npy.ReadArchiveFile(name, npy.ArchiveOptions{})
	require.NoError(t, err)
	assert.Equal(t, entries, again, "an error leaves the file as it was")
}

// TestFilesWrong: errors name the file, the entry and the rule, and are of a kind.
func TestFilesWrong(t *testing.T) {
	e, _ := open(t)
	dir := t.TempDir()
	doubles, err := npy.Of([]float64{1, 2, 3}, 3)
	require.NoError(t, err)
	file, archive := filepath.Join(dir, "a.npy"), filepath.Join(dir, "a.npz")
	require.NoError(t, npy.WriteFile(file, doubles))
	require.NoError(t, npy.WriteArchiveFile(archive, npy.Entry{Name: "x", Array: doubles}))
	missing := filepath.Join(dir, "none")
	load := func(name string, typ tensor.Type, o npy.ArchiveOptions) func(*tensor.Scope) {
		return func(s *tensor.Scope) { assert.Nil(t, tensor.LoadNPZ(s, name, typ, o)) }
	}
	for want, c := range map[string]struct {
		do   func(*tensor.Scope)
		kind error
	}{
		file + ": elements of float64, which Metal does not have": {
			func(s *tensor.Scope) { tensor.LoadNPY(s, file, 0) }, tensor.ErrType},
		file + ": elements of float64, which": {
			func(s *tensor.Scope) { tensor.LoadNPY(s, file, tensor.Int32) }, tensor.ErrType},
		missing: {func(s *tensor.Scope) { tensor.LoadNPY(s, missing, 0) }, os.ErrNotExist},
		archive + `: entry "x": elements of float64`: {load(archive, 0,
			npy.ArchiveOptions{}), tensor.ErrType},
		archive + `: entry "x": f8 to Type(99)`: {load(archive, 99,
			npy.ArchiveOptions{}), tensor.ErrType},
		archive + `: entry "x.npy": npy: limit exceeded: [3] of f8 needs 24 by`: {load(archive, tensor.Float32,
			npy.ArchiveOptions{MaxBytes: 20}), npy.ErrLimit},
		"load npz at files_test.go:": {load(missing, 0,
			npy.ArchiveOptions{}), os.ErrNotExist},
		`elements of "c8"`: {func(s *tensor.Scope) {
			tensor.FromNPY(s, &npy.Array{Type: "c8"}, 0)
		}, tensor.ErrType},
		"2 elements for the shape [3]": {func(s *tensor.Scope) {
			tensor.FromNPY(s, &npy.Array{Type: npy.Int8, Shape: []int{3}, Data: []byte{1, 2}}, 0)
		}, tensor.ErrShape},
		"from npy at files_test.go:": {func(s *tensor.Scope) { tensor.FromNPY(s, nil, 0) }, nil},
	} {
		s := e.Scope(t.Context())
		c.do(s)
		assert.ErrorContains(t, s.Err(), want)
		if c.kind != nil {
			assert.ErrorIs(t, s.Err(), c.kind, want)
		}
		s.Close()
	}
}
