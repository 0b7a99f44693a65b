package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"

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

// workers is how many requests use tensors at once.
const workers = 4

// service classifies vectors, and counts the classes. The manager opens the device again when it
// was lost: tensors, counts and streams survive, because all memory has a host copy.
type service struct {
	manager *resilience.Manager
	monitor *telemetry.Monitor
	tally   *compute.Kernel

	counting sync.Mutex // two streams must not access the counts at once
	counts   *compute.Buffer[uint32]

	models chan *model // one for each worker
}

// model is what a worker has. Its engine has a stream of its own, so that the failures of a request
// reach no other one.
type model struct {
	engine        *tensor.Engine
	scope         *tensor.Scope
	weights, bias *tensor.Tensor
}

// newService opens a device with a function that is called again when the device was lost.
func newService(ctx context.Context, open func() (*compute.Accelerator, error)) (*service, error) {
	s := &service{models: make(chan *model, workers)}
	var err error
	s.manager, err = resilience.New(ctx, resilience.Options{KeepAll: true, Attempts: 8,
		Open: func(context.Context) (*compute.Accelerator, error) { return open() }})
	if err != nil {
		return nil, err
	}
	if err = s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.close(ctx))
	}
	return s, nil
}

// prepare makes what the service has on the device.
func (s *service) prepare(ctx context.Context) (err error) {
	acc := s.manager.Accelerator()
	if s.monitor, err = telemetry.Watch(acc, telemetry.Options{}); err != nil {
		return err
	}
	program, err := acc.Compile(ctx, source, compute.CompileOptions{Name: "service.metal"})
	if err != nil {
		return err
	}
	if s.tally, err = program.KernelContext(ctx, "tally"); err != nil {
		return err
	}
	if s.counts, err = compute.NewZeroed[uint32](ctx, acc, classes, compute.BufferOptions{}); err != nil {
		return err
	}
	for range workers {
		m, err := newModel(ctx, acc)
		if err != nil {
			return err
		}
		s.models <- m
	}
	return nil
}

// close ends the service, once no request runs.
func (s *service) close(ctx context.Context) error {
	var err error
	for range len(s.models) {
		err = errors.Join(err, (<-s.models).close(ctx))
	}
	err = errors.Join(err, s.manager.Close(ctx))
	if s.monitor != nil {
		s.monitor.Close()
	}
	return err
}

func newModel(ctx context.Context, acc *compute.Accelerator) (*model, error) {
	engine, err := tensor.New(acc)
	if err != nil {
		return nil, err
	}
	scope := engine.Scope(context.WithoutCancel(ctx)) // the weights outlive the request
	m := &model{engine, scope, tensor.Of(scope, weights, features, classes), tensor.Of(scope, bias, classes)}
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

// classify waits for a worker. What fails on the device is repeated by the manager.
func (s *service) classify(ctx context.Context, x []float32) (p []float32, err error) {
	var m *model
	select {
	case m = <-s.models:
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for a worker: %w", context.Cause(ctx))
	}
	defer func() { s.models <- m }()
	return m.classify(ctx, x)
}

// count adds to the count of a class.
func (s *service) count(ctx context.Context, class int, by uint32) error {
	s.counting.Lock()
	defer s.counting.Unlock()
	return s.manager.Do(ctx, compute.NormalPriority, func(ctx context.Context, stream *compute.Stream) error {
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
		s.monitor.Handler().ServeHTTP(w, r)
	})
	return mux
}
