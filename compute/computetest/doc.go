// Package computetest helps to test programs that use package compute: it opens an accelerator for
// a test, compares results, makes random data and runs a test on both drivers.
//
//	func TestSaxpy(t *testing.T) {
//		computetest.EachDriver(t, func(t *testing.T, acc *compute.Accelerator) {
//			r := computetest.NewRand(t)
//			x := computetest.Normal[float32](r, 1000, 0, 1)
//			y := computetest.Normal[float32](r, 1000, 0, 1)
//			want := make([]float64, len(x))
//			for i := range want {
//				want[i] = 2*float64(x[i]) + float64(y[i])
//			}
//
//			got, err := saxpy(t.Context(), acc, 2, x, y) // the function to test, which launches a kernel
//			if err != nil {
//				t.Fatal(err)
//			}
//			computetest.AllClose(t, got, want, computetest.Tolerance{ULP: 1, Abs: 1e-6})
//		})
//	}
//
// On Linux and Windows the test runs on the software device, and its subtest "metal" is skipped. On
// a Mac with a GPU both subtests run. Set PUREMETAL_REQUIRE_DEVICE=1 on machines that have a GPU,
// such as a Mac runner of CI: tests that would be skipped then fail.
//
// A result that is off is reported with its position, what was expected and by how much it differs:
//
//	computetest: 1 of 1000 values is not close (ULP 1 or Abs 1e-06):
//	    [17]: got 0.75, want 0.5, difference 0.25 (8.389e+06 ULP)
//
// A kernel that is written in Go is its own expected result: see [EqualOnCPU].
package computetest
