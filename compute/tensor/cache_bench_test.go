package tensor_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute/tensor"
)

// BenchmarkCache stores and attends to a token of each of some sequences with 64 keys: 8 heads, 4
// groups, 32 features.
func BenchmarkCache(b *testing.B) {
	e, s := open(b)
	table := s.RotaryTable(tensor.Rotary{Features: 32})
	for _, rows := range []int{1, 64} {
		places := make([]int32, 0, 4*rows)
		for i := range rows {
			places = append(places, int32(i), int32(i), 63, 64)
		}
		cache := tensor.CacheRows{Keys: s.Full(tensor.Float32, 1, rows, 4, 32, 128).Transpose(0, 1, 3, 2),
			Values: s.Full(tensor.Float32, 1, rows, 4, 128, 32), Places: tensor.Of(s, places, rows, 4)}
		packed := q8Cache(s, true, rows, 4, 128, 32, 32)
		packed.Places = cache.Places
		q, kv := s.Full(tensor.Float32, 1, rows, 8, 32), s.Full(tensor.Float32, 1, rows, 4, 32)
		for _, c := range []struct {
			name string
			do   func(s *tensor.Scope)
		}{{"append", func(s *tensor.Scope) { s.AppendCache(q, kv, kv, table, cache) }},
			{"append unturned", func(s *tensor.Scope) { s.AppendCache(q, kv, kv, nil, cache) }},
			{"attention", func(s *tensor.Scope) { s.CachedAttention(q, tensor.GroupedAttention{}, cache) }},
			{"append q8_0", func(s *tensor.Scope) { s.AppendCache(q, kv, kv, table, packed) }},
			{"attention q8_0", func(s *tensor.Scope) { s.CachedAttention(q, tensor.GroupedAttention{}, packed) }}} {
			b.Run(fmt.Sprintf("%s/%d", c.name, rows), func(b *testing.B) {
				for b.Loop() {
					s := e.Scope(b.Context())
					for range 16 {
						c.do(s)
					}
					require.NoError(b, s.Err())
					require.NoError(b, e.Sync(b.Context()))
					s.Close()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(16*b.N), "ns/launch")
			})
		}
	}
}
