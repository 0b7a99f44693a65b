package peer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/puremetal/puremetal/compute"
)

// Measurement is what copies over a link took.
type Measurement struct {
	From, To string // names of the devices
	Path     Path
	// Software means that the devices are software devices, so that the figures are those of the
	// host's memory.
	Software bool
	Latency  time.Duration // median of the smallest size
	GBs      float64       // bandwidth in 10^9 bytes per second: the best median of all sizes
	Samples  []Sample      // by size
}

// Sample is what copies of one size took by the receiving device's clock, from the moment when the
// devices were ready until the data was there.
type Sample struct {
	Bytes             int
	Low, Median, High time.Duration // fastest, median and slowest copy
	GBs               float64       // by the median
	Host              bool          // by the host's clock, because the device gave no time
}

// measuredSizes are sizes in bytes, multiples of four.
var measuredSizes = []int{4, 64 << 10, 1 << 20, 16 << 20, 64 << 20}

// Measure copies private buffers of 4 bytes to 64 MiB over the link, each size as often as runs
// says (at least 1), and returns the times. One copy of each size before that is not counted. Other
// work of the devices makes copies slower. The copies count in [Link.Stats].
func (l *Link) Measure(ctx context.Context, runs int) (*Measurement, error) {
	switch {
	case l.missing():
		return nil, nilLink("Measure")
	case ctx == nil:
		return nil, fmt.Errorf("peer: Measure: nil context: %w", compute.ErrNil)
	case runs < 1:
		return nil, fmt.Errorf("peer: Measure with %d runs, want at least 1: %w", runs, compute.ErrRange)
	}
	m := &Measurement{From: l.from.Info().Name, To: l.to.Info().Name, Path: l.direct,
		Software: l.from.Info().Software && l.to.Info().Software}
	for _, size := range measuredSizes {
		s, err := l.sample(ctx, size, runs)
		if err != nil {
			return nil, fmt.Errorf("peer: measuring copies of %d bytes: %w", size, err)
		}
		m.Samples = append(m.Samples, s)
		m.GBs = max(m.GBs, s.GBs)
	}
	m.Latency = m.Samples[0].Median
	return m, nil
}

func (l *Link) sample(ctx context.Context, size, runs int) (s Sample, err error) {
	o := compute.BufferOptions{Label: "peer measurement", Intent: compute.DeviceOnly}
	src, err := compute.NewZeroed[byte](ctx, l.from, size, o)
	if err != nil {
		return s, err
	}
	defer src.Close()
	dst, err := compute.NewBuffer[byte](l.to, size, o)
	if err != nil {
		return s, err
	}
	defer dst.Close()
	stream, err := l.to.NewStream(compute.StreamOptions{Label: "peer measurement"})
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, stream.Close(ctx)) }()
	if err := src.Wait(ctx); err != nil {
		return s, err
	}
	p, err := stream.Measure(ctx, runs, func(ctx context.Context, stream *compute.Stream) error {
		t, err := CopyAsync(ctx, l, Streams{To: stream}, dst, src)
		if err != nil {
			return err
		}
		return t.Wait(ctx)
	})
	if err != nil {
		return s, err
	}
	return Sample{Bytes: size, Low: p.Min, Median: p.P50, High: p.Max, Host: p.Host,
		GBs: float64(size) / float64(max(p.P50, 1)) / float64(time.Nanosecond)}, nil
}

// MeasureAll measures copies between all pairs of accelerators, in both directions. progress,
// unless nil, is called after each.
func MeasureAll(ctx context.Context, accs []*compute.Accelerator, runs int, progress func()) ([]*Measurement, error) {
	if ctx == nil {
		return nil, fmt.Errorf("peer: MeasureAll: nil context: %w", compute.ErrNil)
	}
	for i, a := range accs {
		if a.Device().IsNil() {
			return nil, fmt.Errorf("peer: MeasureAll: accelerator %d: %w", i, compute.ErrNil)
		}
	}
	var all []*Measurement
	for _, from := range accs {
		for _, to := range accs {
			if from == to {
				continue
			}
			m, err := measurePair(ctx, from, to, runs)
			if err != nil {
				return nil, fmt.Errorf("from %s to %s: %w", from.Info().Name, to.Info().Name, err)
			}
			all = append(all, m)
			if progress != nil {
				progress()
			}
		}
	}
	return all, nil
}

func measurePair(ctx context.Context, from, to *compute.Accelerator, runs int) (_ *Measurement, err error) {
	l, err := Connect(from, to, Options{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close(ctx)) }()
	if l.direct == Remote {
		if err := l.Enable(); err != nil {
			return nil, err
		}
	}
	return l.Measure(ctx, runs)
}
