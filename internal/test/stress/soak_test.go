package stress

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	soakFor  = flag.Duration("soak.for", 0, "how long TestSoak runs; 0 is a few programs")
	soakSeed = flag.Uint64("soak.seed", 1, "of TestSoak's first program")
)

// Sizes of a program of the soak.
const (
	machines      = 2
	actors        = 3 // of each machine
	steps         = 40
	soakPrograms  = 4 // of the ordinary run
	reportEvery   = time.Minute
	deadlockAfter = 10 * time.Minute
)

// TestSoak plays random programs on devices that fail on demand, and compares with a model. After
// each, nothing may be left.
func TestSoak(t *testing.T) {
	ds := devices(t)
	s := &soak{outcomes: map[mtl.CommandBufferError]int{}, alive: make(chan struct{}, 1)}
	observed, observer, err := mtl.ObserveDevices(s.hear)
	require.NoError(t, err)
	mtl.ReleaseAll(observed)
	defer func() { assert.NoError(t, observer.Remove()) }()
	if *soakFor > 0 {
		done := make(chan struct{})
		defer close(done)
		go s.watch(done)
	}
	start := time.Now()
	report := start
	for n := uint64(0); n < soakPrograms || time.Since(start) < *soakFor; n++ {
		s.program(t, ds, *soakSeed+n)
		if t.Failed() {
			t.Fatalf("program of seed %d", *soakSeed+n)
		}
		select {
		case s.alive <- struct{}{}:
		default:
		}
		if *soakFor > 0 && time.Since(report) > reportEvery {
			report = time.Now()
			t.Log(time.Since(start).Round(time.Second), s)
		}
	}
	t.Log(time.Since(start).Round(time.Millisecond), s)
	for range 1 << 20 { // the observer is told on a goroutine of its own
		s.mu.Lock()
		all := s.added >= s.removals
		s.mu.Unlock()
		if all {
			break
		}
		runtime.Gosched()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	assert.Equal(t, s.removals, s.removed, "devices that the observer heard go")
	assert.Equal(t, s.removals, s.added, "and come back")
}

// soak counts what has happened.
type soak struct {
	programs, jobs, refused, removals int
	outcomes                          map[mtl.CommandBufferError]int

	mu             sync.Mutex
	removed, added int // that the observer has heard of
	alive          chan struct{}
}

func (s *soak) String() string {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	var failures []string
	for _, code := range slices.Sorted(maps.Keys(s.outcomes)) {
		failures = append(failures, fmt.Sprintf("%d %v", s.outcomes[code], code))
	}
	return fmt.Sprintf("%d programs, %d command buffers (failed: %s), %d allocations refused, %d removals; %d goroutines, %.1f MB of Go's heap",
		s.programs, s.jobs, strings.Join(failures, ", "), s.refused, s.removals, runtime.NumGoroutine(),
		float64(m.HeapAlloc)/1e6)
}

// hear counts what the observer of devices is told.
func (s *soak) hear(_ mtl.Device, change string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch change {
	case "MTLDeviceWasRemovedNotification":
		s.removed++
	case "MTLDeviceWasAddedNotification":
		s.added++
	}
}

// watch ends the process, which shows what all goroutines do, when no program ends for a long time.
func (s *soak) watch(done chan struct{}) {
	timer := time.NewTimer(deadlockAfter)
	defer timer.Stop()
	for {
		select {
		case <-done:
			return
		case <-s.alive:
			timer.Reset(deadlockAfter)
		case <-timer.C:
			panic(fmt.Sprintf("no program has ended for %v", deadlockAfter))
		}
	}
}

// faultsOf chooses what a program's devices do wrong.
func faultsOf(rnd *rand.Rand) softmetal.Faults {
	var f softmetal.Faults
	if rnd.IntN(3) > 0 {
		f.CommandEvery, f.CommandCode = 5+rnd.IntN(20), int(injected)
	}
	if rnd.IntN(3) > 0 {
		f.AllocationEvery = 3 + rnd.IntN(20)
	}
	switch rnd.IntN(6) {
	case 0:
		f.RemoveAfter = 5 + rnd.IntN(100)
	case 1:
		f.Slow = 20 * time.Microsecond
	}
	return f
}

// program plays one program on two devices.
func (s *soak) program(t *testing.T, ds []mtl.Device, seed uint64) {
	nothing := leaks(ds)
	goroutines := runtime.NumGoroutine()
	rnd := rand.New(rand.NewPCG(seed, 5))
	var ms [machines]*machine
	var hits [machines]atomic.Uint32
	var all [machines * actors]*actor
	objc.Pool(func() {
		for i := range ms {
			ms[i] = newMachine(ds[i])
			must(mtl.Slice[uint32](ms[i].hits))[0] = 0
		}
		for i := range all {
			k := i % machines
			all[i] = newActor(fmt.Sprintf("seed %d, actor %d", seed, i), rnd.Uint64(), ms[k], &hits[k])
		}
		for _, m := range ms {
			m.inject(faultsOf(rnd))
		}
	})
	together(t, len(all), func(i int) {
		all[i].play(steps)
		all[i].settle()
	})
	objc.Pool(func() {
		for _, m := range ms {
			m.inject(softmetal.Faults{})
		}
	})
	if t.Failed() {
		return // the actors stopped anywhere
	}
	together(t, len(all), func(i int) { all[i].end() })
	objc.Pool(func() {
		for i, m := range ms {
			assert.Equal(t, hits[i].Load(), must(mtl.Slice[uint32](m.hits))[0], "seed %d: what all actors have added", seed)
			m.release()
		}
	})
	nothing(t)
	settle.AtMost(t, "goroutines; the engine keeps its workers", goroutines+runtime.GOMAXPROCS(0), runtime.NumGoroutine)
	s.programs++
	for k := range machines {
		removed := false
		for i, a := range all {
			if i%machines == k {
				s.jobs += a.jobs
				s.refused += a.refused
				for code, n := range a.outcomes {
					s.outcomes[code] += n
				}
				removed = removed || a.outcomes[mtl.CommandBufferErrorDeviceRemoved] > 0
			}
		}
		if removed {
			s.removals++
		}
	}
}
