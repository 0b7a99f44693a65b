package model_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/model"
	"github.com/puremetal/puremetal/model/gguf"
)

// TestProgress: loading says how far it is, and stops with its context.
func TestProgress(t *testing.T) {
	e := engine(t)
	_, file := tiny(t, "llama", nil)
	last, calls := -1, 0
	m, err := model.Open(t.Context(), e, file, model.Options{Progress: func(done, total int) {
		assert.GreaterOrEqual(t, done, last)
		assert.LessOrEqual(t, done, total)
		last, calls = done, calls+1
	}})
	require.NoError(t, err)
	assert.Equal(t, m.WeightBytes(), last)
	assert.Greater(t, calls, 10)
	require.NoError(t, m.Close(t.Context()))

	ctx, stop := context.WithCancelCause(t.Context())
	calls = 0
	_, err = model.Open(ctx, e, file, model.Options{Progress: func(int, int) {
		if calls++; calls == 3 {
			stop(assert.AnError)
		}
	}})
	assert.ErrorIs(t, err, compute.ErrCanceled)
	assert.ErrorIs(t, err, assert.AnError)
	assert.ErrorContains(t, err, file)
	assert.Equal(t, 3, calls)
}

// TestReadTensorPieces: a tensor comes in pieces, each of which ends with a block.
func TestReadTensorPieces(t *testing.T) {
	e := engine(t)
	r, file := tiny(t, "llama", nil)
	for name, want := range r.weights {
		var got []float32
		err := model.ReadTensor(t.Context(), e, file, name, func(shape []int, elements []float32) error {
			got = append(got, elements...)
			return nil
		})
		require.NoError(t, err, name)
		require.Len(t, got, len(want))
		for i := range want {
			assert.Equal(t, float32(want[i]), got[i])
		}
	}
	// Larger than a piece: q4_0 with codes that count.
	const blocks = 4<<20/32 + 1000
	var data []byte
	for i := range blocks {
		data = append(data, 0, 0x3c) // 1 as float16
		for j := range 16 {
			data = append(data, byte((i+j)%16)|byte(j)<<4)
		}
	}
	var b bytes.Buffer
	require.NoError(t, gguf.Write(&b, nil, []gguf.NewTensor{{Name: "w", Type: gguf.Q4_0, Shape: []int{2, blocks * 16},
		Data: data}}))
	large := filepath.Join(t.TempDir(), "large.gguf")
	require.NoError(t, os.WriteFile(large, b.Bytes(), 0o666))
	at, pieces := 0, 0
	require.NoError(t, model.ReadTensor(t.Context(), e, large, "w", func(shape []int, elements []float32) error {
		pieces++
		for _, x := range elements {
			i, j := at/32, at%32
			want := (i + j) % 16
			if j >= 16 {
				want = j - 16
			}
			if x != float32(want-8) {
				t.Fatalf("element %d is %g, want %d", at, x, want-8)
			}
			at++
		}
		return nil
	}))
	assert.Equal(t, blocks*32, at)
	assert.Equal(t, 2, pieces)
	err := model.ReadTensor(t.Context(), e, file, "output_norm.weight", func([]int, []float32) error {
		return assert.AnError
	})
	assert.ErrorIs(t, err, assert.AnError)
}
