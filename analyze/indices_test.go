package analyze_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/analyze"
)

// The columns of a sparse matrix in rows, and the same matrix in columns: neighbors in a simdgroup
// share lines only in the second.
func ExampleIndices() {
	var rows, columns []uint32
	for i := range uint32(64) {
		rows = append(rows, i*32)
		columns = append(columns, 100+i)
	}
	for _, indices := range [][]uint32{rows, columns, {7, 7, 7, 7}, {5, 900, 17, 3}} {
		a, err := analyze.Indices(indices, analyze.IndexOptions{})
		if err != nil {
			panic(err)
		}
		fmt.Println(&a)
	}
	// Output:
	// strided(32), 32 transactions per simdgroup
	// coalesced, 2 transactions per simdgroup
	// broadcast, 1 transaction per simdgroup
	// scattered, 2 transactions per simdgroup
}

func TestIndices(t *testing.T) {
	many := func(n int, f func(i int) int) (list []int) {
		for i := range n {
			list = append(list, f(i))
		}
		return list
	}
	for _, c := range []struct {
		name    string
		indices []int
		o       analyze.IndexOptions
		want    analyze.IndexAccess
	}{
		{"none", nil, analyze.IndexOptions{}, analyze.IndexAccess{Pattern: analyze.Broadcast}},
		{"backwards", many(32, func(i int) int { return 31 - i }), analyze.IndexOptions{},
			analyze.IndexAccess{Pattern: analyze.Strided, Stride: -1, Simdgroups: 1, Transactions: 1, Efficiency: 1}},
		{"one alone in the last", many(33, func(i int) int { return i }), analyze.IndexOptions{},
			analyze.IndexAccess{Pattern: analyze.Sequential, Stride: 1, Simdgroups: 2, Transactions: 2, Efficiency: 33. / 64}},
		{"different strides", many(64, func(i int) int { return i * (1 + i/32) }), analyze.IndexOptions{},
			analyze.IndexAccess{Pattern: analyze.Irregular, Simdgroups: 2, Transactions: 3, Efficiency: 64. / 96}},
		{"wide elements", many(64, func(i int) int { return i }), analyze.IndexOptions{Size: 24, Width: 64, Line: 64},
			analyze.IndexAccess{Pattern: analyze.Sequential, Stride: 1, Simdgroups: 1, Transactions: 24, Efficiency: 1}},
		{"two elements in a line, twice", []int{0, 1, 0, 1}, analyze.IndexOptions{Line: 8},
			analyze.IndexAccess{Pattern: analyze.Irregular, Simdgroups: 1, Transactions: 1, Efficiency: 1}},
	} {
		got, err := analyze.Indices(c.indices, c.o)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.want, got, c.name)
	}
	for _, c := range []struct {
		indices []int
		o       analyze.IndexOptions
	}{
		{[]int{1, -1}, analyze.IndexOptions{}}, {[]int{math.MaxInt}, analyze.IndexOptions{}},
		{nil, analyze.IndexOptions{Size: -1}}, {nil, analyze.IndexOptions{Line: 100}},
		{nil, analyze.IndexOptions{Width: 5000}},
	} {
		_, err := analyze.Indices(c.indices, c.o)
		require.ErrorIs(t, err, analyze.ErrOptions)
	}
}

// TestIndexLines compares the transactions of random indices with lines in a set.
func TestIndexLines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		o := analyze.IndexOptions{Size: 1 + r.IntN(40), Width: 1 + r.IntN(70), Line: 1 << r.IntN(9)}
		indices := make([]uint32, r.IntN(300))
		most := 1 + r.Uint32N(500)
		want := 0
		for i := range indices {
			indices[i] = r.Uint32N(most)
		}
		for from := 0; from < len(indices); from += o.Width {
			lines := map[int]bool{}
			for _, x := range indices[from:min(from+o.Width, len(indices))] {
				for b := range o.Size {
					lines[(int(x)*o.Size+b)/o.Line] = true
				}
			}
			want += len(lines)
		}
		got, err := analyze.Indices(indices, o)
		require.NoError(t, err)
		require.EqualValues(t, want, got.Transactions, "%+v", o)
	}
}
