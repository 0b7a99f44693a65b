package gemm

import (
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// guarded returns a copy of data that ends where memory that cannot be read begins.
func guarded(t *testing.T, data []byte) []byte {
	page := syscall.Getpagesize()
	size := (len(data) + page - 1) / page * page
	memory, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(memory)) })
	require.NoError(t, syscall.Mprotect(memory[size:], syscall.PROT_NONE))
	copy(memory[size-len(data):], data)
	return memory[size-len(data) : size : size]
}

// TestBounds: assembly reads and writes nothing beyond a matrix, and packs nothing beyond the
// slack.
func TestBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, c := range combinations {
		for range 30 {
			p := c.random(rng, 1+rng.IntN(40), 1+rng.IntN(70), 1+rng.IntN(60), 1)
			p.A.Data, p.B.Data = guarded(t, p.A.Data), guarded(t, p.B.Data)
			for _, y := range bodies() {
				q := p
				q.C.Data = guarded(t, p.C.Data)
				y.multiply(Runner{}, q)
			}
		}
	}
	for _, y := range bodies() {
		for _, c := range combinations {
			for _, rows := range []int{1, 7, 8, 40, 41} {
				for _, m := range []Matrix{Dense(filled(rng, c[0], 100*rows), c[0], 100, rows),
					Dense(filled(rng, c[0], 100*rows), c[0], rows, 100).T()} {
					for _, width := range []int{y.rows, y.columns} {
						o := operand{&m, 100, m.RowStride, m.ColumnStride, 0}
						lines := width * 3
						words := lines * rows
						if c[0] == I8 {
							words = lines * tiles(rows, 2)
						}
						dst := make([]uint32, words+4*slack)
						for i := range dst {
							dst[i] = 0xdeadbeef
						}
						w := &work{lines: make([]uint32, 32*kc)}
						y.pack(w, dst, width, &o, 0, lines, 0, rows)
						for _, word := range dst[words+slack:] {
							require.Equal(t, uint32(0xdeadbeef), word, "%s %v", y.name, c)
						}
					}
				}
			}
		}
	}
}
