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

// largest is the largest element of a vector in private memory, found as by a macro MAX whose
// operands are lvalues: MAX(MAX(v[0], v[1]), v[2]). In the inner one, an address is chosen.
const largest = `kernel "k" {
  arg {"kind":"buffer","index":0,"space":"device"}
  body {
    %0 = arg : ptr.device
    %1 = load %0 : i32x4
    %2 = alloca #16 "v" : ptr.thread
    store %2, %1
    %3 = field %2 #4 : ptr.thread
    %4 = load %2 : i32
    %5 = load %3 : i32
    %6 = slt %5, %4 : i1
    %7 = if %6 : i32 {
      %8 = load %2 : i32
      yield %8
    } else {
      %9 = load %3 : i32
      yield %9
    }
    %10 = field %2 #8 : ptr.thread
    %11 = load %10 : i32
    %12 = slt %11, %7 : i1
    %13 = if %12 : ptr.thread {
      %14 = load %2 : i32
      %15 = load %3 : i32
      %16 = slt %15, %14 : i1
      %17 = if %16 : ptr.thread {
        yield %2
      } else {
        yield %3
      }
      yield %17
    } else {
      yield %10
    }
    %18 = load %13 : i32
    store %0, %18
    return
  }
}
`

// bytes stores two numbers of 16 bits and reads one of their bytes, two as one number, and a byte
// that was stored into them.
const bytes = `kernel "k" {
  arg {"kind":"buffer","index":0,"space":"device"}
  body {
    %0 = arg : ptr.device
    %1 = load %0 : i16x2
    %2 = alloca #4 "v" : ptr.thread
    store %2, %1
    %3 = field %2 #1 : ptr.thread
    %4 = load %3 : i8
    store %0, %4
    %5 = load %2 : f32
    store %0, %5
    %6 = field %2 #2 : ptr.thread
    store %6, %4
    %7 = load %6 : i16
    store %0, %7
    return
  }
}
`

// crossing reads the bytes between two numbers: the variable stays in memory.
const crossing = `kernel "k" {
  arg {"kind":"buffer","index":0,"space":"device"}
  body {
    %0 = arg : ptr.device
    %1 = load %0 : i16x2
    %2 = alloca #4 "v" : ptr.thread
    store %2, %1
    %3 = field %2 #1 : ptr.thread
    %4 = load %3 : i16
    store %0, %4
    return
  }
}
`

// either stores to one of two variables, whose addresses are exchanged in each iteration.
const either = `kernel "k" {
  arg {"kind":"buffer","index":0,"space":"device"}
  body {
    %0 = arg : ptr.device
    %1 = load %0 : i32
    %2 = const 0 : i32
    %3 = const 1 : i32
    %4 = alloca #4 "x" : ptr.thread
    %5 = alloca #4 "y" : ptr.thread
    loop ^0 (%6 : i32 = %2, %7 : ptr.thread = %4) {
      %8 = slt %6, %1 : i1
      if %8 {
        yield
      } else {
        break ^0
      }
      %9 = load %7 : i32
      %10 = add %9, %6 : i32
      store %7, %10
      %11 = eq %7, %4 : i1
      %12 = select %11, %5, %4 : ptr.thread
      %13 = add %6, %3 : i32
      continue ^0 %13, %12
    }
    %14 = load %4 : i32
    store %0, %14
    %15 = load %5 : i32
    store %0, %15
    return
  }
}
`

// beyond chooses between a variable and an address that is not known, and between the element of an
// array and one past its end: the variables stay in memory.
const beyond = `kernel "k" {
  arg {"kind":"buffer","index":0,"space":"device"}
  body {
    %0 = arg : ptr.device
    %1 = load %0 : i32
    %2 = const 0 : i32
    %3 = load %0 : i64
    %4 = inttoptr %3 : ptr.thread
    %5 = alloca #4 "x" : ptr.thread
    %6 = alloca #4 "y" : ptr.thread
    %7 = slt %1, %2 : i1
    %8 = select %7, %5, %4 : ptr.thread
    store %8, %1
    %9 = field %6 #4 : ptr.thread
    %10 = select %7, %9, %6 : ptr.thread
    store %10, %1
    %11 = load %5 : i32
    store %0, %11
    %12 = load %6 : i32
    store %0, %12
    return
  }
}
`

// optimized returns the number of variables that are left in a kernel after all passes, and the
// number of accesses in the thread space.
func optimized(t *testing.T, text string) (variables, accesses int) {
	m, err := ir.Parse(text)
	require.NoError(t, err)
	require.NoError(t, m.Verify())
	Run(m.Funcs[0], Options{Scalar: scalar})
	require.NoError(t, m.Verify(), "%s", m)
	m.Funcs[0].Body.Walk(func(in *ir.Instr) bool {
		switch {
		case in.Op == ir.OpAlloca:
			variables++
		case in.Op.Group() == ir.MemoryOps && in.Op != ir.OpField && in.Args[0].Type.Space == ir.Thread:
			accesses++
		}
		return true
	})
	return variables, accesses
}

// TestPrivateMemory: after all passes, variables that need more than one pass for that have become
// values. The address of a variable may be left where it tells which one a loop accesses.
func TestPrivateMemory(t *testing.T) {
	for _, c := range []struct {
		name, text          string
		variables, accesses int
	}{
		{"an array that is cleared", sums, 0, 0},
		{"chosen lvalues", largest, 0, 0},
		{"addresses exchanged in a loop", either, 2, 0},
		{"addresses that are not known", beyond, 2, 4},
		{"bytes of longer numbers", bytes, 0, 0},
		{"bytes of two numbers", crossing, 1, 2},
	} {
		variables, accesses := optimized(t, c.text)
		assert.Equal(t, c.variables, variables, c.name)
		assert.Equal(t, c.accesses, accesses, c.name)
	}
}
