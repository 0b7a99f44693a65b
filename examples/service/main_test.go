package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/mtl"
)

// want returns the probabilities of the classes.
func want(x []float32) []float64 {
	p, sum := make([]float64, classes), 0.0
	for c := range p {
		score := float64(bias[c])
		for i := range x {
			score += float64(x[i]) * float64(weights[i*classes+c])
		}
		p[c] = math.Exp(score)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
	return p
}

// TestLoad: eight clients at once get right answers while command buffers fail and the device is
// removed, and no request is counted twice or lost.
func TestLoad(t *testing.T) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	var device atomic.Uint64 // the software device, which fails on demand; 0 for another one
	inject := func(f softmetal.Faults) {
		if id := device.Load(); id != 0 {
			assert.NoError(t, softmetal.Inject(softmetal.Opened(), objcsoft.ID(id), f))
		}
	}
	failing := softmetal.Faults{CommandEvery: 23, CommandCode: int(mtl.CommandBufferErrorInternal)}
	s, err := newService(t.Context(), func() (*compute.Accelerator, error) {
		inject(failing) // the device is there again
		acc, err := compute.Open()
		if err == nil && acc.Info().Software {
			device.Store(uint64(acc.Device().ID()))
		}
		return acc, err
	})
	require.NoError(t, err)
	defer func() {
		inject(softmetal.Faults{})
		assert.NoError(t, s.close(context.Background()))
	}()
	server := httptest.NewServer(s.handler())
	defer server.Close()
	get := func(path string, to any) {
		r, err := http.Get(server.URL + path)
		require.NoError(t, err)
		defer r.Body.Close()
		require.NoError(t, json.NewDecoder(r.Body).Decode(to))
	}

	const clients, requests = 8, 20
	var counted [classes]atomic.Uint32
	var group sync.WaitGroup
	for client := range clients {
		group.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(client), 1))
			for i := range requests {
				if client == 0 && i%8 == 4 {
					inject(softmetal.Faults{RemoveAfter: 3})
				}
				x := []float32{rnd.Float32(), rnd.Float32(), rnd.Float32(), rnd.Float32()}
				body, err := json.Marshal(x)
				assert.NoError(t, err)
				r, err := http.Post(server.URL+"/classify", "application/json", bytes.NewReader(body))
				if !assert.NoError(t, err) {
					return
				}
				text, err := io.ReadAll(r.Body)
				r.Body.Close()
				var a answer
				if !assert.NoError(t, err) || !assert.Equal(t, http.StatusOK, r.StatusCode, string(text)) ||
					!assert.NoError(t, json.Unmarshal(text, &a)) {
					return
				}
				for c, p := range want(x) {
					assert.InDelta(t, p, a.Probabilities[c], 1e-5, fmt.Sprint(x))
				}
				counted[a.Class].Add(1)
			}
		})
	}
	group.Wait()
	var counts []uint32
	get("/counts", &counts)
	for c := range counted {
		assert.Equal(t, counted[c].Load(), counts[c], "class %d", c)
	}
	if device.Load() != 0 {
		assert.Positive(t, s.manager.Report().Resets)
	}
	var health struct{ State string }
	get("/health", &health)
	assert.NotEmpty(t, health.State)
	r, err := http.Post(server.URL+"/classify", "application/json", bytes.NewReader([]byte("[1]")))
	require.NoError(t, err)
	r.Body.Close()
	require.Equal(t, http.StatusBadRequest, r.StatusCode)
}
