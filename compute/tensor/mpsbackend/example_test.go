package mpsbackend_test

import (
	"context"
	"fmt"
	"log"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/compute/tensor/mpsbackend"
)

// Metal Performance Shaders computes what it can, here because the program forces it. On the
// software device it has the engine's own kernels.
func Example() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	engine, err := tensor.New(acc, mpsbackend.With(), tensor.WithBackend(mpsbackend.MPS))
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close(ctx)

	s := engine.Scope(ctx)
	defer s.Close()
	x := tensor.Of(s, []float32{1, 2, 3, 4}, 2, 2)
	fmt.Println(tensor.Data[float32](ctx, s.ReLU(s.MatMul(x, x.T()))))
	product := engine.Explain()[0]
	fmt.Println(product.Op, product.Calls, product.Backend == mpsbackend.MPS || acc.Info().Software)

	// Output:
	// [5 11 11 25] <nil>
	// matmul 1 true
}
