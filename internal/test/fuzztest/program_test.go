package fuzztest

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMix(t *testing.T) {
	const text = "kernel void k() { f(a[1], {2}); g(); }"
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"nothing", nil, text},
		{"a token goes", []byte{1, 0}, "kernelvoid k() { f(a[1], {2}); g(); }"},
		{"another comes", []byte{0, 1, 3}, " half kernel void k() { f(a[1], {2}); g(); }"},
		{"a statement goes", []byte{10, 6}, "kernel void k() {  g(); }"},
		{"a statement twice", []byte{10, 5}, "kernel void k() { f(a[1], {2});f(a[1], {2}); g(); }"},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, Mix(text, c.data)) })
	}
}

func TestProgramsDiffer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	seen := map[string]bool{}
	for range 100 {
		data := make([]byte, 400)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		p := Program(data)
		assert.Equal(t, p, Program(data))
		assert.Less(t, len(p), 1<<16)
		seen[p] = true
	}
	assert.Greater(t, len(seen), 90)
}
