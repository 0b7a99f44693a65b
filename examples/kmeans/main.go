// Command kmeans clusters points with Lloyd's algorithm: it assigns each point to the nearest
// center and moves each center to the mean of its points, until no assignment changes.
//
//	go run ./examples/kmeans
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/simd"
)

//go:embed kmeans.metal
var source string

// clustering is the result of kmeans.
type clustering struct {
	centers []simd.Float2
	labels  []uint32 // for each point, the index of its center
	rounds  int
}

// kmeans clusters points, starting from centers, in at most the given number of rounds.
func kmeans(ctx context.Context, acc *compute.Accelerator, points, centers []simd.Float2, rounds int) (clustering,
	error) {
	var none clustering
	program, err := acc.Compile(ctx, source, compute.CompileOptions{Name: "kmeans.metal"})
	if err != nil {
		return none, err
	}
	defer program.Close()
	assign, err := program.Kernel("assign")
	if err != nil {
		return none, err
	}
	recenter, err := program.Kernel("recenter")
	if err != nil {
		return none, err
	}
	dp, err := compute.BufferOf(ctx, acc, points)
	if err != nil {
		return none, err
	}
	defer dp.Close()
	dc, err := compute.BufferOf(ctx, acc, centers)
	if err != nil {
		return none, err
	}
	defer dc.Close()
	dl, err := compute.BufferOf(ctx, acc, slices.Repeat([]uint32{math.MaxUint32}, len(points)))
	if err != nil {
		return none, err
	}
	defer dl.Close()
	changed, err := compute.NewBuffer[uint32](acc, 1, compute.BufferOptions{Label: "changed", Intent: compute.Readback})
	if err != nil {
		return none, err
	}
	defer changed.Close()
	stream, err := acc.NextStream()
	if err != nil {
		return none, err
	}
	groups := compute.Threadgroups{Grid: compute.Extent{X: len(centers)}, Group: compute.Extent{X: 256}}
	out := clustering{}
	for out.rounds < rounds {
		out.rounds++
		if err := compute.Fill(ctx, stream, changed, 0); err != nil {
			return none, err
		}
		if err := stream.Launch(ctx, assign, compute.Threads1D(len(points)), dp, dc, dl, changed,
			uint32(len(centers))); err != nil {
			return none, err
		}
		if err := stream.Launch(ctx, recenter, groups, dp, dc, dl, uint32(len(points))); err != nil {
			return none, err
		}
		if err := stream.Sync(ctx); err != nil {
			return none, err
		}
		n, err := changed.Data()
		if err != nil {
			return none, err
		}
		if n[0] == 0 {
			break
		}
	}
	out.centers, out.labels = make([]simd.Float2, len(centers)), make([]uint32, len(points))
	if err := dc.Download(ctx, out.centers); err != nil {
		return none, err
	}
	return out, dl.Download(ctx, out.labels)
}

// blobs returns points scattered around true centers, and the centers.
func blobs(seed uint64, clusters, each int) (points, truth []simd.Float2) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for c := range clusters {
		angle := 2 * math.Pi * float64(c) / float64(clusters)
		truth = append(truth, simd.Float2{X: float32(10 * math.Cos(angle)), Y: float32(10 * math.Sin(angle))})
	}
	for range each {
		for _, c := range truth {
			points = append(points, simd.Float2{X: c.X + float32(rng.NormFloat64()), Y: c.Y + float32(rng.NormFloat64())})
		}
	}
	return points, truth
}

// spread chooses initial centers that are far apart: the first point, then repeatedly the point
// farthest from those already chosen.
func spread(points []simd.Float2, clusters int) []simd.Float2 {
	chosen := []simd.Float2{points[0]}
	for len(chosen) < clusters {
		far, at := float32(-1), 0
		for i, p := range points {
			near := float32(math.MaxFloat32)
			for _, c := range chosen {
				near = min(near, (p.X-c.X)*(p.X-c.X)+(p.Y-c.Y)*(p.Y-c.Y))
			}
			if near > far {
				far, at = near, i
			}
		}
		chosen = append(chosen, points[at])
	}
	return chosen
}

func main() {
	each := flag.Int("n", 20000, "points per cluster")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *each); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, each int) error {
	if each < 1 {
		return fmt.Errorf("%d points per cluster; want at least 1", each)
	}
	acc, err := compute.Open()
	if err != nil {
		return err
	}
	defer acc.Close(ctx)
	const clusters = 8
	points, truth := blobs(1, clusters, each)
	began := time.Now()
	c, err := kmeans(ctx, acc, points, spread(points, clusters), 100)
	if err != nil {
		return err
	}
	took := time.Since(began)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "true center\tnearest center found\tits points\t")
	sizes := make([]int, clusters)
	for _, l := range c.labels {
		sizes[l]++
	}
	for _, t := range truth {
		n := nearest(c.centers, t)
		fmt.Fprintf(table, "(%.2f, %.2f)\t(%.2f, %.2f)\t%d\t\n", t.X, t.Y, c.centers[n].X, c.centers[n].Y, sizes[n])
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "%d points, %d rounds in %v on %v\n", len(points), c.rounds, took.Round(time.Millisecond), acc.Info())
	return nil
}

// nearest returns the index of the center nearest to p.
func nearest(centers []simd.Float2, p simd.Float2) int {
	best, least := 0, math.Inf(1)
	for i, c := range centers {
		if d := math.Hypot(float64(p.X-c.X), float64(p.Y-c.Y)); d < least {
			best, least = i, d
		}
	}
	return best
}
