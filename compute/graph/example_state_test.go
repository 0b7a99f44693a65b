package graph_test

import (
	"context"
	"fmt"
	"log"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/graph"
)

// A task goes on where the run before has ended.
func ExampleTaskState() {
	ctx := context.Background()
	acc, err := compute.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)
	g := graph.NewTaskGraph(acc)
	var step *graph.TaskState[int]
	if err := g.Add("simulate", func(context.Context, *compute.Stream) error {
		// Record work for step.Load(), and then:
		return step.Store(step.Load() + 1) // counts if the work succeeds
	}); err != nil {
		log.Fatal(err)
	}
	if step, err = graph.NewTaskState(g, "simulate", 0); err != nil {
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
