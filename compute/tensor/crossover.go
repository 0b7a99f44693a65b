package tensor

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// WithCrossover names the file that keeps the times which [Engine.Calibrate] measures, for each
// device. New reads it if it exists, and the engine chooses backends and knows its [Peak] by it.
// Delete it, or calibrate again, after updates of the system. A file that cannot be read is an
// error of New; one of another version of this library counts as missing.
func WithCrossover(file string) Option {
	return func(e *Engine) error {
		if file == "" {
			return fmt.Errorf("tensor: WithCrossover: no file name: %w", compute.ErrOption)
		}
		e.crossover.file = file
		return e.loadCrossover() // here, so that programs without the option do not contain it
	}
}

// crossover is a table of measured times.
type crossover struct {
	file string

	mu    sync.Mutex
	times map[sort]map[string]time.Duration // by the backend's name
}

// crossoverVersion is that of the file's format and of the kernels that it measures.
const crossoverVersion = 1

// maxLog2 is the largest size class of a file.
const maxLog2 = 62

// crossoverFile is the file's contents.
type crossoverFile struct {
	Version int                        `json:"version"`
	Devices map[string]crossoverDevice `json:"devices"`
}

type crossoverDevice struct {
	GFLOPS float64         `json:"gflops"`
	GBs    float64         `json:"gb_per_s"`
	Times  []crossoverTime `json:"times"`
}

type crossoverTime struct {
	Op   string           `json:"op"`
	Type string           `json:"type"`
	Log2 int              `json:"log2"`
	NS   map[string]int64 `json:"ns"` // by backend
}

// read returns the contents of the file, with no devices if there is none.
func (c *crossover) read() (f crossoverFile, err error) {
	none := crossoverFile{Version: crossoverVersion, Devices: map[string]crossoverDevice{}}
	data, err := document.Times.ReadFile(c.file)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err == nil {
		err = document.Times.JSON(data, &f)
	}
	if err == nil && f.Version != crossoverVersion || err == nil && f.Devices == nil {
		return none, nil
	}
	if err != nil {
		return f, fmt.Errorf("%s: %w; delete the file to measure again", c.file, err)
	}
	return f, nil
}

// loadCrossover reads the times of the device, and its peak unless that is known.
func (e *Engine) loadCrossover() error {
	c := &e.crossover
	f, err := c.read()
	if err != nil {
		return fmt.Errorf("tensor: WithCrossover: %w", err)
	}
	d, ok := f.Devices[e.acc.Info().String()]
	if !ok {
		return nil
	}
	if p := (Peak{d.GFLOPS, d.GBs}); p.check() == nil && e.peak.value == (Peak{}) {
		e.peak.value = p
	}
	times := map[sort]map[string]time.Duration{}
	for i, t := range d.Times {
		typ := typeNamed(t.Type)
		if typ == 0 || t.Log2 < 0 || t.Log2 > maxLog2 {
			return fmt.Errorf("tensor: WithCrossover: %s: time %d is of %s 2^%d; delete the file to measure again",
				c.file, i, t.Type, t.Log2)
		}
		s := sort{t.Op, typ, t.Log2}
		times[s] = map[string]time.Duration{}
		for name, ns := range t.NS {
			if ns > 0 {
				times[s][name] = time.Duration(ns)
			}
		}
	}
	c.times = times
	return nil
}

// typeNamed returns the type with a name, or 0.
func typeNamed(name string) Type {
	for t := Float32; t <= Bool; t++ {
		if t.String() == name {
			return t
		}
	}
	return 0
}

// saveCrossover writes the engine's times and peak to the file, beside those of other devices.
func (e *Engine) saveCrossover() error {
	c := &e.crossover
	if c.file == "" {
		return nil
	}
	f, err := c.read()
	if err != nil {
		return err
	}
	p := e.peak.get()
	d := crossoverDevice{GFLOPS: p.GFLOPS, GBs: p.GBs}
	c.mu.Lock()
	for s, times := range c.times {
		t := crossoverTime{Op: s.op, Type: s.typ.String(), Log2: s.log2, NS: map[string]int64{}}
		for name, ns := range times {
			t.NS[name] = int64(ns)
		}
		d.Times = append(d.Times, t)
	}
	c.mu.Unlock()
	slices.SortFunc(d.Times, func(a, b crossoverTime) int {
		return cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Log2, b.Log2))
	})
	f.Devices[e.acc.Info().String()] = d
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "\t")
	if err := enc.Encode(f); err != nil {
		return err
	}
	// Other processes read a whole file: the old one or the new one.
	temp, err := os.CreateTemp(filepath.Dir(c.file), filepath.Base(c.file)+".*")
	if err != nil {
		return err
	}
	_, err = temp.Write(text.Bytes())
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), c.file)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}

// leastGain is the part of its time that another backend must save to be chosen: less is noise.
const leastGain = 20

// choose returns the backend with the least time of those named, own first, "" if not all were
// measured. Sizes between two that were measured count as the smaller one.
func (c *crossover) choose(s sort, names []string) (string, string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var best map[string]time.Duration
	at := 0
	for k, times := range c.times {
		if k.op != s.op || k.typ != s.typ {
			continue
		}
		closer := k.log2 <= s.log2 && (at > s.log2 || k.log2 > at) || k.log2 > s.log2 && at > s.log2 && k.log2 < at
		if best == nil || closer {
			best, at = times, k.log2
		}
	}
	least := ""
	var text []string
	for _, name := range names {
		d, ok := best[name]
		if !ok {
			return "", ""
		}
		if least == "" || d < best[least]-best[least]/leastGain {
			least = name
		}
		text = append(text, fmt.Sprintf("%s %v", name, d.Round(time.Microsecond)))
	}
	return least, fmt.Sprintf("measured at 2^%d operations: %s", at, strings.Join(text, ", "))
}

// Calibrate measures the [Peak], and the backends of the engine, if it has more than one, against
// each other on operations of growing size; from then on the engine chooses the fastest. With
// [WithCrossover], it writes the file. It runs on the engine's stream, waits, and takes seconds;
// other work of the machine meanwhile distorts the result. The times are those of a call and of
// waiting for its result. Nothing of it is part of [Engine.Stats] and [Engine.Explain].
func (e *Engine) Calibrate(ctx context.Context) error {
	if e.missing() {
		return fmt.Errorf("tensor: Calibrate: the engine: %w", compute.ErrNil)
	}
	if _, err := e.MeasurePeak(ctx); err != nil {
		return err
	}
	if len(e.others) > 0 {
		if err := e.calibrate(ctx, calibrationFLOPs); err != nil {
			return fmt.Errorf("tensor: Calibrate: %w", err)
		}
	}
	if err := e.saveCrossover(); err != nil {
		return fmt.Errorf("tensor: Calibrate: %w", err)
	}
	return nil
}

const (
	calibrationFLOPs = 1 << 31               // of the largest operation: a product of matrices of 1,024 rows
	calibrationRuns  = 3                     // of which the fastest counts
	calibrationTime  = 50 * time.Millisecond // of a call after which no larger one is measured
)

// contest is an operation that backends are measured on.
type contest struct {
	least, factor int                     // the first size, and the next ones
	flops         func(n float64) float64 // of a size
	shapes        func(n int) [][]int     // of the operands
	call          func(s *Scope, x []*Tensor) *Tensor
}

func contests() []contest {
	return []contest{
		{8, 2, func(n float64) float64 { return 2 * n * n * n },
			func(n int) [][]int { return [][]int{{n, n}, {n, n}} },
			func(s *Scope, x []*Tensor) *Tensor { return s.MatMul(x[0], x[1]) }},
		{8, 4, func(n float64) float64 { return 5 * 64 * n * 64 }, // 64 times as long as its operations say
			func(n int) [][]int { return [][]int{{64, n}} },
			func(s *Scope, x []*Tensor) *Tensor { return s.Softmax(x[0], -1) }},
		{4, 2, func(n float64) float64 { return 2 * 9 * 32 * 32 * n * n },
			func(n int) [][]int { return [][]int{{1, 32, n, n}, {32, 32, 3, 3}} },
			func(s *Scope, x []*Tensor) *Tensor { return s.Conv(x[0], x[1], Window{Same: true}, 1) }},
	}
}

// calibrate measures operations of up to a number of FLOPs.
func (e *Engine) calibrate(ctx context.Context, limit float64) error {
	times := map[sort]map[string]time.Duration{}
	for _, typ := range []Type{Float32, Float16} {
		for _, c := range contests() {
			for n := c.least; c.flops(float64(n)) <= limit; n *= c.factor {
				longest, err := e.race(ctx, times, typ, c.shapes(n), c.call)
				if err != nil {
					return err
				}
				if longest > calibrationTime {
					break
				}
			}
		}
	}
	e.crossover.mu.Lock()
	defer e.crossover.mu.Unlock()
	e.crossover.times = times
	return nil
}

// race measures an operation on each backend that can compute it, and returns the longest time.
func (e *Engine) race(ctx context.Context, times map[sort]map[string]time.Duration, typ Type, shapes [][]int,
	call func(s *Scope, x []*Tensor) *Tensor) (longest time.Duration, err error) {
	s := e.Scope(ctx)
	defer s.Close()
	var in []*Tensor
	for _, shape := range shapes {
		data := make([]float64, tensorop.Elements(shape))
		for i := range data {
			data[i] = float64(i%255)/128 - 1
		}
		in = append(in, FromFloat64(s, typ, data, shape...))
	}
	for _, b := range append([]*other{nil}, e.others...) {
		if b != nil && b.maker.Same(e.acc) {
			continue
		}
		s.trial = &trial{backend: b}
		for i := 0; i <= calibrationRuns; i++ {
			began := time.Now()
			out := call(s, in)
			if err := cmp.Or(out.Err(), e.Sync(ctx)); err != nil {
				return 0, err
			}
			took := max(time.Since(began), 1)
			out.Close()
			if s.trial.refused {
				break
			}
			name := Own
			if b != nil {
				name = b.name
			}
			k := s.trial.sort
			if times[k] == nil {
				times[k] = map[string]time.Duration{}
			}
			if i > 0 { // the first one compiles
				times[k][name] = min(cmp.Or(times[k][name], took), took)
				longest = max(longest, took)
			}
		}
	}
	return longest, nil
}

// trial makes the operations of a scope run on a backend, uncounted.
type trial struct {
	backend *other // nil: own
	refused bool   // by the backend, and nothing ran
	sort    sort
}
