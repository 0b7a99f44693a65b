package opt

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

// sums adds rows of a matrix into the elements of an array that is cleared as a whole, with an
// unknown number of columns: the loops over rows have to be unrolled before the clear can be split.
const sums = `kernel "k" {
  arg {"kind":"buffer","index":0,"space":"device"}
  body {
    %0 = arg : ptr.device
    %1 = load %0 : i32
    %2 = const 0 : i32
    %3 = const 1 : i32
    %4 = const 4 : i32
    %5 = alloca #16 "sums" : ptr.thread
    clear %5 #16
    loop ^0 (%6 : i32 = %2) {
      %7 = slt %6, %1 : i1
      if %7 {
        yield
      } else {
        break ^0
      }
      loop ^1 (%8 : i32 = %2) {
        %9 = slt %8, %4 : i1
        if %9 {
          yield
        } else {
          break ^1
        }
        %10 = sext %8 : i64
        %11 = offset %0, %10 #4 : ptr.device
        %12 = load %11 : i32
        %13 = offset %5, %10 #4 : ptr.thread
        %14 = load %13 : i32
        %15 = add %14, %12 : i32
        store %13, %15
        %16 = add %8, %3 : i32
        continue ^1 %16
      }
      %17 = add %6, %3 : i32
      continue ^0 %17
    }
    loop ^2 (%18 : i32 = %2) {
      %19 = slt %18, %4 : i1
      if %19 {
        yield
      } else {
        break ^2
      }
      %20 = sext %18 : i64
      %21 = offset %5, %20 #4 : ptr.thread
      %22 = load %21 : i32
      %23 = offset %0, %20 #4 : ptr.device
      store %23, %22
      %24 = add %18, %3 : i32
      continue ^2 %24
    }
    return
  }
}
`

// TestArraysBecomeValues: after all passes no private memory is left, in kernels that need more
// than one pass for that.
func TestArraysBecomeValues(t *testing.T) {
	for _, text := range []string{sums} {
		m, err := ir.Parse(text)
		require.NoError(t, err)
		require.NoError(t, m.Verify())
		Run(m.Funcs[0], Options{Scalar: scalar})
		require.NoError(t, m.Verify(), "%s", m)
		m.Funcs[0].Body.Walk(func(in *ir.Instr) bool {
			assert.NotEqual(t, ir.OpAlloca, in.Op, "%s", m)
			return true
		})
	}
}
