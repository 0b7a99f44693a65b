// Command nbody simulates bodies under their mutual gravity, all pairs, and reports how well energy
// is conserved.
//
//	go run ./examples/nbody -n 2048 -steps 100
//
// With -go, the kernels are those in Go, in package kernels, instead of nbody.metal.
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/gokernel"
	"github.com/puremetal/puremetal/simd"
)

//go:embed nbody.metal
var source string

//go:embed kernels/nbody.go
var goSource embed.FS

// tile is the threadgroup size of the kernel kick.
const tile = 128

// system is a set of bodies: positions, with masses in W, and velocities.
type system struct {
	bodies, velocities []simd.Float4
	softening          float32 // positive, because the kernel computes a body's force on itself, too
	inGo               bool    // the kernels
}

// compile compiles the kernels, in Go or in Metal.
func (s *system) compile(ctx context.Context, acc *compute.Accelerator) (p *compute.Program,
	kick, drift *compute.Kernel, err error) {
	names, constants := [2]string{"kick", "drift"}, []compute.Constant{{Name: "tile", Value: uint32(tile)}}
	if s.inGo {
		names, constants = [2]string{"Kick", "Drift"}, nil
		p, err = gokernel.Compile(ctx, acc, goSource, "kernels", compute.CompileOptions{})
	} else {
		p, err = acc.Compile(ctx, source, compute.CompileOptions{Name: "nbody.metal"})
	}
	if err == nil {
		kick, err = p.Kernel(names[0], constants...)
	}
	if err == nil {
		drift, err = p.Kernel(names[1])
	}
	if err != nil {
		p.Close()
		return nil, nil, nil, err
	}
	return p, kick, drift, nil
}

// advance advances the system by steps of dt with the leapfrog method: half a kick, alternating
// drifts and kicks, and half a kick at the end.
func (s *system) advance(ctx context.Context, acc *compute.Accelerator, dt float32, steps int) error {
	program, kick, drift, err := s.compile(ctx, acc)
	if err != nil {
		return err
	}
	defer program.Close()
	bodies, err := compute.BufferOf(ctx, acc, s.bodies)
	if err != nil {
		return err
	}
	defer bodies.Close()
	velocities, err := compute.BufferOf(ctx, acc, s.velocities)
	if err != nil {
		return err
	}
	defer velocities.Close()
	n := len(s.bodies)
	groups := compute.Threadgroups{Grid: compute.Extent{X: (n + tile - 1) / tile}, Group: compute.Extent{X: tile}}
	kicks := func(dt float32) (*compute.Launch, error) {
		args := []any{bodies, velocities, dt, s.softening}
		if !s.inGo { // there slices have their lengths, and the kernel its shared memory
			args = append(args, uint32(n), compute.ThreadgroupMemory(16*tile))
		}
		return kick.Bind(groups, args...)
	}
	half, err := kicks(dt / 2)
	if err != nil {
		return err
	}
	whole, err := kicks(dt)
	if err != nil {
		return err
	}
	move, err := drift.Bind(compute.Threads1D(n), bodies, velocities, dt)
	if err != nil {
		return err
	}
	stream, err := acc.NextStream()
	if err != nil {
		return err
	}
	for step := range steps {
		first := whole
		if step == 0 {
			first = half
		}
		if err := stream.Run(ctx, first); err != nil {
			return err
		}
		if err := stream.Run(ctx, move); err != nil {
			return err
		}
	}
	if steps > 0 {
		if err := stream.Run(ctx, half); err != nil {
			return err
		}
	}
	// Download waits until the buffer is unused; the Sync after it reports failures.
	if err := bodies.Download(ctx, s.bodies); err != nil {
		return err
	}
	if err := velocities.Download(ctx, s.velocities); err != nil {
		return err
	}
	return stream.Sync(ctx)
}

// energy returns the kinetic plus the potential energy, computed in float64.
func (s *system) energy() float64 {
	sum, soft := 0.0, float64(s.softening)*float64(s.softening)
	for i, a := range s.bodies {
		v := s.velocities[i]
		sum += 0.5 * float64(a.W) * (float64(v.X)*float64(v.X) + float64(v.Y)*float64(v.Y) + float64(v.Z)*float64(v.Z))
		for _, b := range s.bodies[:i] {
			x, y, z := float64(a.X-b.X), float64(a.Y-b.Y), float64(a.Z-b.Z)
			sum -= float64(a.W) * float64(b.W) / math.Sqrt(x*x+y*y+z*z+soft)
		}
	}
	return sum
}

// sphere returns a ball of n bodies of equal mass that rotates about the z axis. The total mass is
// 1.
func sphere(seed uint64, n int) *system {
	rng, s := rand.New(rand.NewPCG(seed, 0)), &system{softening: 0.05}
	for len(s.bodies) < n {
		x, y, z := 2*rng.Float64()-1, 2*rng.Float64()-1, 2*rng.Float64()-1
		if x*x+y*y+z*z > 1 {
			continue
		}
		s.bodies = append(s.bodies, simd.Float4{X: float32(x), Y: float32(y), Z: float32(z), W: 1 / float32(n)})
		s.velocities = append(s.velocities, simd.Float4{X: float32(-0.6 * y), Y: float32(0.6 * x)})
	}
	return s
}

func main() {
	n, steps := flag.Int("n", 1024, "number of bodies"), flag.Int("steps", 100, "number of time steps of 0.01")
	inGo := flag.Bool("go", false, "use the kernels in Go")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *n, *steps, *inGo); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, n, steps int, inGo bool) error {
	if n < 1 || steps < 1 {
		return fmt.Errorf("%d bodies and %d steps; want at least 1 of each", n, steps)
	}
	acc, err := compute.Open()
	if err != nil {
		return err
	}
	defer acc.Close(ctx)
	s := sphere(1, n)
	s.inGo = inGo
	before, began := s.energy(), time.Now()
	if err := s.advance(ctx, acc, 0.01, steps); err != nil {
		return err
	}
	took, after := time.Since(began), s.energy()
	fmt.Fprintf(w, "%d bodies, %d steps: energy %.6f before, %.6f after, relative change %.2g\n", n, steps, before, after,
		math.Abs((after-before)/before))
	fmt.Fprintf(w, "%v, %.0f million interactions per second, on %v\n", took.Round(time.Millisecond),
		float64(n)*float64(n)*float64(steps+1)/1e6/took.Seconds(), acc.Info())
	return nil
}
