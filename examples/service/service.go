package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/resilience"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/telemetry"
)

//go:embed service.metal
var source string

// The model: class c has the score x · weights[c] + bias[c].
const features, classes = 4, 3

var (
	weights = []float32{1, -1, 0, 0.5, 2, 0, -0.5, 1, -1, 0.25, 1, 0} // features rows of classes
	bias    = []float32{0.1, 0, -0.1}
)

// attempts is how often a request is tried, and workers how many use tensors at once.
const attempts, workers = 8, 4

// service classifies vectors, and counts the classes. The manager owns the device: it opens it
// again when it was lost, and the counts survive. Tensors live with an accelerator, and are made
// again.
type service struct {
	manager *resilience.Manager
	tally   *resilience.Kernel
	monitor atomic.Pointer[telemetry.Monitor] // of the accelerator now

	counting sync.Mutex // two streams must not access the counts at once
	counts   *resilience.Buffer[uint32]

	models chan *model // one for each worker; nil if it has none yet
}

// model is what a worker has on an accelerator. Its engine has a stream of its own, so that the
// failures of a request reach no other one.
type model struct {
	acc           *compute.Accelerator
	engine        *tensor.Engine
	scope         *tensor.Scope
	weights, bias *tensor.Tensor
}

// newService opens a device with a function that is called again when the device was lost.
func newService(ctx context.Context, open func() (*compute.Accelerator, error)) (*service, error) {
	s := &service{models: make(chan *model, workers)}
	for range workers {
		s.models <- nil
	}
	var err error
	s.manager, err = resilience.New(ctx, resilience.Options{Open: func(context.Context) (*compute.Accelerator, error) {
		acc, err := open()
		if err != nil {
			return nil, err
		}
		monitor, err := telemetry.Watch(acc, telemetry.Options{})
		if err != nil {
			return nil, errors.Join(err, acc.Close(ctx))
		}
		if old := s.monitor.Swap(monitor); old != nil {
			old.Close()
		}
		return acc, nil
	}})
	if err != nil {
		return nil, err
	}
	program, err := s.manager.Compile(ctx, source, compute.CompileOptions{Name: "service.metal"})
	if err == nil {
		s.tally, err = program.Kernel(ctx, "tally")
	}
	if err == nil {
		s.counts, err = resilience.NewBuffer[uint32](ctx, s.manager, classes, resilience.BufferOptions{HostCopy: true})
	}
	if err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

// close ends the service, once no request runs.
func (s *service) close(ctx context.Context) error {
	var err error
	for range workers {
		if m := <-s.models; m != nil {
			err = errors.Join(err, m.close(ctx))
		}
	}
	err = errors.Join(err, s.manager.Close(ctx))
	if m := s.monitor.Load(); m != nil {
		m.Close()
	}
	return err
}

func newModel(ctx context.Context, acc *compute.Accelerator) (*model, error) {
	engine, err := tensor.New(acc)
	if err != nil {
		return nil, err
	}
	scope := engine.Scope(context.WithoutCancel(ctx)) // the weights outlive the request
	m := &model{acc, engine, scope, tensor.Of(scope, weights, features, classes), tensor.Of(scope, bias, classes)}
	if err := scope.Err(); err != nil {
		return nil, errors.Join(err, m.close(ctx))
	}
	return m, nil
}

func (m *model) close(ctx context.Context) error {
	m.scope.Close()
	return m.engine.Close(ctx)
}

// classify returns the probabilities of the classes of a vector.
func (m *model) classify(ctx context.Context, x []float32) ([]float32, error) {
	s := m.engine.Scope(ctx)
	defer s.Close()
	scores := s.Add(s.MatMul(tensor.Of(s, x, 1, features), m.weights), m.bias)
	p, err := tensor.Data[float32](ctx, s.Softmax(scores, 1))
	return p, errors.Join(err, m.engine.Sync(ctx)) // and what else has failed on this stream
}

// use calls a function with a worker's model. again reports whether its accelerator has been
// replaced meanwhile.
func (s *service) use(ctx context.Context, do func(*model) error) (again bool, err error) {
	var m *model
	select {
	case m = <-s.models:
	case <-ctx.Done():
		return false, fmt.Errorf("waiting for a worker: %w", context.Cause(ctx))
	}
	defer func() { s.models <- m }()
	acc, err := s.manager.Accelerator(ctx)
	if err != nil {
		return false, err
	}
	if m != nil && m.acc != acc {
		_ = m.close(ctx) // its accelerator is closed
		m = nil
	}
	if m == nil {
		if m, err = newModel(ctx, acc); err != nil {
			return true, err
		}
	}
	err = do(m)
	now, _ := s.manager.Accelerator(ctx)
	return now != acc, err
}

// classify tries a request until it succeeds: it changes nothing, so it is safe to repeat.
func (s *service) classify(ctx context.Context, x []float32) (p []float32, err error) {
	for attempt := 1; ; attempt++ {
		again, err := s.use(ctx, func(m *model) (err error) {
			p, err = m.classify(ctx, x)
			return err
		})
		class := compute.ClassOf(err)
		switch {
		case err == nil:
			return p, nil
		case ctx.Err() != nil || attempt == attempts || class == compute.ClassInvalid && !again:
			return nil, err
		case class == compute.ClassDeviceLost:
			_ = s.count(ctx, 0, 0) // work of the manager makes it open the device again
		}
		select {
		case <-time.After(time.Duration(attempt) * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// count adds to the count of a class.
func (s *service) count(ctx context.Context, class int, by uint32) error {
	s.counting.Lock()
	defer s.counting.Unlock()
	return s.manager.Do(ctx, compute.NormalPriority, func(ctx context.Context, stream *resilience.Stream) error {
		return stream.Launch(ctx, s.tally, compute.Threads1D(1), s.counts, uint32(class), by)
	})
}

// answer is the answer to a request.
type answer struct {
	Class         int       `json:"class"`
	Probabilities []float32 `json:"probabilities"`
}

// handler returns the pages: POST /classify, GET /counts, and those of the monitor.
func (s *service) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /classify", func(w http.ResponseWriter, r *http.Request) {
		var x []float32
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&x); err != nil || len(x) != features {
			http.Error(w, fmt.Sprintf("want an array of %d numbers", features), http.StatusBadRequest)
			return
		}
		p, err := s.classify(r.Context(), x)
		if err == nil {
			a := answer{Probabilities: p}
			for i := range p {
				if p[i] > p[a.Class] {
					a.Class = i
				}
			}
			if err = s.count(r.Context(), a.Class, 1); err == nil {
				w.Header().Set("Content-Type", "application/json")
				_ = json.NewEncoder(w).Encode(a) // the client may be gone
				return
			}
		}
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
	})
	mux.HandleFunc("GET /counts", func(w http.ResponseWriter, r *http.Request) {
		s.counting.Lock()
		defer s.counting.Unlock()
		counts := make([]uint32, classes)
		if err := s.counts.Download(r.Context(), counts); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(counts)
	})
	mux.HandleFunc("GET /recovery", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(s.manager.Report())
	})
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) { // health, report and page
		s.monitor.Load().Handler().ServeHTTP(w, r)
	})
	return mux
}
