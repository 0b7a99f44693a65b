package compute_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/pool"
)

// A long-running program keeps less idle memory than usual, and now and then moves buffers
// together, so that nearly empty heaps are released.
func ExampleAccelerator_Defragment() {
	ctx := context.Background()
	acc, err := compute.Open(compute.WithPool(pool.Options{MaxIdle: 10 * time.Second, Soft: 0.8, Hard: 1}))
	if err != nil {
		log.Fatal(err)
	}
	defer acc.Close(ctx)

	var all []*compute.Buffer[byte]
	for range 16 { // two heaps
		b, err := compute.NewBuffer[byte](acc, 1<<20, compute.BufferOptions{Intent: compute.DeviceOnly, Relocatable: true})
		if err != nil {
			log.Fatal(err)
		}
		defer b.Close()
		all = append(all, b)
	}
	for i, b := range all {
		if i%4 != 0 {
			b.Close()
		}
	}
	acc.Collect()
	before := acc.Memory()
	if before.Fragmentation > 0.5 {
		moved, err := acc.Defragment(ctx, 0)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(moved.Blocks, "buffers moved,", moved.Heaps, "heap released")
	}
	after := acc.Memory()
	fmt.Println(before.Reserved>>20, "MiB before,", after.Reserved>>20, "after, pressure", after.Pressure)
	// Output:
	// 2 buffers moved, 1 heap released
	// 16 MiB before, 8 after, pressure normal
}
