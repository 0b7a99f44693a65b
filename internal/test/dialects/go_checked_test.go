package dialects

import (
	"encoding/binary"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/gokernel"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

const checkedGo = `package k

import (
	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

//puremetal:kernel
func K(t *kernel.Thread, x []int32) {
	n := int(x[0])
	var a [4]int32
	switch x[1] {
	case 0: // nothing is wrong
		if n < 0 && x[n] == 1 || a[n&3] == 1 {
			x[2] = 1
		}
		for i := 0; i < len(x) && x[i] == 0; i++ {
		}
		x[2], a[n&3] = 7/x[1+n], x[n&3]<<x[2]
	case 1:
		x[n] = 1
	case 2:
		a[n]++
	case 3:
		x[2] = 7 / x[n] % x[3]
	case 4:
		x[2] = 1 << x[n]
	case 5:
		x[2] = sum(x[1:n])
	case 6:
		p := &x[n]
		*p = 1
	case 7:
		x[2] = simd.Int2{X: 7, Y: 7}.Div(simd.Int2{X: 1, Y: x[n]}).X
	case 8:
		for i := 0; x[i] != 9; i++ {
		}
	case 9:
		x[2] = at(x, &n) + at(x, &n)
	case 10:
		for v := range stubborn {
			if v == n {
				break
			}
			x[2]++
		}
	}
}

func stubborn(yield func(int) bool) {
	for i := range 3 {
		yield(i)
	}
}

func sum(x []int32) (s int32) {
	for _, v := range x {
		s += v
	}
	return s
}

func at(x []int32, n *int) int32 {
	*n += 2
	return x[*n]
}
`

// With Options.Checked, what Go panics at ends the launch with its place; the rest is as without.
func TestGoChecked(t *testing.T) {
	translate := func(checked bool) *gokernel.Result {
		r, err := gokernel.Translate(t.Context(), fstest.MapFS{"k.go": {Data: []byte(checkedGo)}}, ".",
			gokernel.Options{Checked: checked})
		require.NoError(t, err)
		require.Empty(t, r.Refused)
		return r
	}
	plain, checked := translate(false), translate(true)
	run := func(r *gokernel.Result, data []int32) ([]byte, error) {
		length := binary.LittleEndian.AppendUint32(nil, uint32(len(data)))
		l := testlaunch.Launch{Grid: [3]int{1, 1, 1}, Group: [3]int{1, 1, 1}, Fuel: 1 << 30,
			Buffers: map[int]testlaunch.Buffer{0: {Data: encode(t, data)}, 1: {Data: length}}}
		err := exectest.Quick.Run(r.Module.IR.Func("K"), &l)
		return l.Buffers[0].Data, err
	}
	for _, c := range []struct {
		data []int32
		want string
	}{
		{[]int32{0, 0, 0, 0, 0}, "k.go:19: integer divide by zero"},
		{[]int32{2, 0, 3, 4, 5}, ""},
		{[]int32{-1, 0, 0, 1, 1}, "k.go:14: index -1 is out of range of 5 elements"},
		{[]int32{4, 1, 0, 0, 0}, ""},
		{[]int32{5, 1, 0, 0, 0}, "k.go:21: index 5 is out of range of 5 elements"},
		{[]int32{3, 2, 0, 0, 0}, ""},
		{[]int32{4, 2, 0, 0, 0}, "k.go:23: index 4 is out of range of 4 elements"},
		{[]int32{2, 3, 0, 1, 0}, "k.go:25: integer divide by zero"},
		{[]int32{3, 3, 0, 1, 0}, ""},
		{[]int32{4, 3, 0, 0, 3}, "k.go:25: integer divide by zero"},
		{[]int32{4, 4, 0, 0, 40}, ""},
		{[]int32{4, 4, 0, 0, -3}, "k.go:27: negative shift amount -3"},
		{[]int32{5, 5, 0, 0, 1}, ""},
		{[]int32{6, 5, 0, 0, 1}, "k.go:29: slice bounds [1:6] are out of range of 5 elements"},
		{[]int32{0, 5, 0, 0, 1}, "k.go:29: slice bounds [1:0] are out of range of 5 elements"},
		{[]int32{4, 6, 0, 0, 1}, ""},
		{[]int32{-2, 6, 0, 0, 1}, "k.go:31: index -2 is out of range of 5 elements"},
		{[]int32{3, 7, 0, 2, 1}, ""},
		{[]int32{3, 7, 0, 0, 1}, "k.go:34: integer divide by zero"},
		{[]int32{3, 8, 0, 0, 9}, ""},
		{[]int32{3, 8, 0, 0, 1}, "k.go:36: index 5 is out of range of 5 elements"},
		{[]int32{0, 9, 0, 0, 1}, ""},
		{[]int32{2, 10, 0, 0, 1}, ""},
		{[]int32{1, 10, 0, 0, 1}, "k.go:41: the function goes on after the loop has ended"},
		{[]int32{1, 9, 0, 0, 1}, "k.go:65: index 5 is out of range of 5 elements"},
	} {
		have, err := run(checked, c.data)
		if c.want != "" {
			require.ErrorContains(t, err, c.want, "%v", c.data)
			if c.data[1] != 8 {
				have, err = run(plain, c.data)
				require.NoError(t, err)
			}
			if c.data[1] == 10 { // the body runs no more
				require.Equal(t, encode(t, []int32{1, 10, 1, 0, 1}), have)
			}
			continue
		}
		require.NoError(t, err, "%v", c.data)
		want, err := run(plain, c.data)
		require.NoError(t, err)
		require.Equal(t, want, have, "%v", c.data)
	}
}
