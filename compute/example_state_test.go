package compute_test

import (
	"context"
	"fmt"
	"log"

	"github.com/puremetal/puremetal/compute"
)

// A task goes on where the run before has ended.
func ExampleTaskState() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	g := acc.NewTaskGraph()
	var step *compute.TaskState[int]
	if err := g.Add("simulate", func(context.Context, *compute.Stream) error {
		// Record work for step.Load(), and then:
		return step.Store(step.Load() + 1) // counts if the work succeeds
	}); err != nil {
		log.Fatal(err)
	}
	if step, err = compute.NewTaskState(g, "simulate", 0); err != nil {
		log.Fatal(err)
	}
	for range 3 {
		if _, err := g.Run(ctx, 1); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(step.Load(), g.Health().State)
	// Output: 3 healthy
}
