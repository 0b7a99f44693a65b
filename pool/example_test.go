package pool_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
	"github.com/puremetal/puremetal/pool"
)

// open opens a pool of the default device; close closes both.
func open() (p *pool.Pool, device mtl.Device, close func()) {
	device, err := mtl.DefaultDevice()
	if err != nil {
		log.Fatal(err)
	}
	if p, err = pool.New(device, pool.Options{}); err != nil {
		log.Fatal(err)
	}
	return p, device, func() {
		if err := p.Close(); err != nil {
			log.Fatal(err)
		}
		device.Release()
	}
}

// A returned block is reused by the next rent of about the same length.
func Example() {
	p, _, close := open()
	defer close()

	kind := pool.Kind{Storage: mtl.StorageModeShared}
	for range 3 {
		block, err := p.Rent(100_000, kind)
		if err != nil {
			log.Fatal(err)
		}
		buffer, err := block.Buffer()
		if err != nil {
			log.Fatal(err)
		}
		bytes, err := buffer.Bytes()
		if err != nil {
			log.Fatal(err)
		}
		clear(bytes[:block.Length()]) // the contents are undefined
		if err := block.Return(); err != nil {
			log.Fatal(err)
		}
		if err := block.Return(); errors.Is(err, pool.ErrReturned) {
			fmt.Println("a second Return is an error")
		}
	}
	s := p.Stats()
	fmt.Printf("%d reused, %d allocated, %d heap\n", s.Hits, s.Misses, s.Heaps)
	// Output:
	// a second Return is an error
	// a second Return is an error
	// a second Return is an error
	// 2 reused, 1 allocated, 1 heap
}

// A block that the device is still using is returned with an event that signals when the device has
// finished. Nothing waits: until then, rents get other memory.
func ExampleBlock_ReturnAfter() {
	p, device, close := open()
	defer close()
	event := device.NewSharedEvent()
	defer event.Release()
	queue, err := device.NewCommandQueue()
	if err != nil {
		log.Fatal(err)
	}
	defer queue.Release()

	block, err := p.Rent(1<<20, pool.Kind{Storage: mtl.StorageModePrivate})
	if err != nil {
		log.Fatal(err)
	}
	objc.Pool(func() {
		command, err := queue.CommandBuffer()
		if err != nil {
			log.Fatal(err)
		}
		blit, err := command.BlitCommandEncoder()
		if err != nil {
			log.Fatal(err)
		}
		buffer, err := block.Buffer()
		if err != nil {
			log.Fatal(err)
		}
		if err := blit.FillBuffer(buffer, mtl.Range{Length: block.Length()}, 1); err != nil {
			log.Fatal(err)
		}
		if err := errors.Join(blit.EndEncoding(), command.EncodeSignalEvent(event.Event, 1), command.Commit()); err != nil {
			log.Fatal(err)
		}
		if err := block.ReturnAfter(pool.After(event, 1)); err != nil {
			log.Fatal(err)
		}
		if err := command.WaitUntilCompleted(); err != nil { // so that the output below is deterministic
			log.Fatal(err)
		}
	})
	p.Trim()
	s := p.Stats()
	fmt.Println(s.Pending, "pending,", s.Idle, "bytes idle")
	// Output: 0 pending, 1048576 bytes idle
}

// Moving relocatable blocks releases nearly empty heaps.
func ExamplePool_Defragment() {
	p, _, close := open()
	defer close()

	var blocks []*pool.Relocatable
	for range 16 { // two heaps of 8 MiB
		block, err := p.RentRelocatable(1<<20, pool.Kind{Storage: mtl.StorageModePrivate})
		if err != nil {
			log.Fatal(err)
		}
		blocks = append(blocks, block)
	}
	for i, block := range blocks {
		if i%4 > 0 { // three of four are no longer needed
			if err := block.Return(); err != nil {
				log.Fatal(err)
			}
		}
	}
	done, err := p.Defragment(context.Background(), 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("moved %d blocks, released %d MiB\n", done.Blocks, done.Freed>>20)

	// The buffer is only valid between Pin and Unpin.
	buffer, err := blocks[0].Pin()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(buffer.Length())
	if err := blocks[0].Unpin(nil); err != nil {
		log.Fatal(err)
	}
	for i := 0; i < len(blocks); i += 4 {
		if err := blocks[i].Return(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// moved 2 blocks, released 8 MiB
	// 1048576
}

// Events are costly to create and cheap to reuse. Those that have not been used for ten seconds are
// dropped.
func ExampleRecycler() {
	device, err := mtl.DefaultDevice()
	if err != nil {
		log.Fatal(err)
	}
	defer device.Release()
	events := pool.NewRecycler(pool.RecyclerOptions[mtl.SharedEvent]{
		Make:    func() (mtl.SharedEvent, error) { return device.NewSharedEvent(), nil },
		Drop:    mtl.SharedEvent.Release,
		MaxIdle: 10 * time.Second,
	})
	defer events.Close()
	for range 3 {
		event, err := events.Get()
		if err != nil {
			log.Fatal(err)
		}
		if err := events.Put(event); err != nil {
			log.Fatal(err)
		}
	}
	s := events.Stats()
	fmt.Println(s.Made, "created,", s.Reused, "reused")
	// Output: 1 created, 2 reused
}
