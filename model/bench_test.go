package model_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/tensor"
	"github.com/puremetal/puremetal/model"
)

// shared opens a model beside the repository, or skips the benchmark.
func shared(b *testing.B, name string, options ...tensor.Option) *model.Model {
	dir := os.Getenv("PUREMETAL_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared")
	}
	file := filepath.Join(dir, "models", name)
	if _, err := os.Stat(file); err != nil {
		b.Skip("there are no models in the folder that PUREMETAL_SHARED names, nor in ../shared")
	}
	acc, err := compute.Open()
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, acc.Close(context.Background())) })
	e, err := tensor.New(acc, options...)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, e.Close(context.Background())) })
	m, err := model.Open(context.Background(), e, file, model.Options{Context: 128})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, m.Close(context.Background())) })
	return m
}

// BenchmarkGenerate generates 64 tokens behind a prompt of 8.
func BenchmarkGenerate(b *testing.B) {
	for _, name := range []string{"llama-q8_0.gguf", "bitnet-tq2_0.gguf"} {
		b.Run(name, func(b *testing.B) {
			m := shared(b, name)
			const tokens = 64
			for b.Loop() {
				q, err := m.NewSequence()
				require.NoError(b, err)
				prompt := []int32{1, 2, 3, 4, 5, 6, 7, 8}
				for _, err := range q.Generate(context.Background(), prompt, model.Generation{Tokens: tokens}) {
					require.NoError(b, err)
				}
				q.Close()
			}
			b.ReportMetric(float64(b.N*tokens)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

// BenchmarkScheduler generates texts of 32 tokens at once.
func BenchmarkScheduler(b *testing.B) {
	for _, n := range []int{1, 8, 64} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			m := shared(b, "llama-q8_0.gguf")
			s, err := m.NewScheduler(model.SchedulerOptions{Active: n})
			require.NoError(b, err)
			const tokens = 32
			for b.Loop() {
				var all sync.WaitGroup
				for i := range n {
					all.Go(func() {
						prompt := []int32{int32(i), 2, 3, 4, 5, 6, 7, 8}
						for _, err := range s.Generate(context.Background(), prompt, model.Generation{Tokens: tokens}) {
							if err != nil {
								b.Error(err)
							}
						}
					})
				}
				all.Wait()
			}
			b.ReportMetric(float64(b.N*n*tokens)/b.Elapsed().Seconds(), "tokens/s")
			require.NoError(b, s.Close(context.Background()))
		})
	}
}
