// Package vouch passes one fact past Metal's interface: that the content of a file is known to be
// this user's own work. compute authenticates the archives of its disk cache; the software device,
// which opens them by path, uses compiled code only from content that has been vouched for. Content
// is named by its hash, so a file that changes between the two steps is not the one vouched for.
package vouch

import (
	"crypto/sha256"
	"sync"
)

// Sum is the SHA-256 of content.
type Sum = [sha256.Size]byte

var (
	mu    sync.Mutex
	known map[Sum]int // how many vouch; made when the first does
)

// For vouches for content until done is called, once.
func For(s Sum) (done func()) {
	mu.Lock()
	defer mu.Unlock()
	if known == nil {
		known = map[Sum]int{}
	}
	known[s]++
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if known[s]--; known[s] == 0 {
			delete(known, s)
		}
	}
}

// Has reports whether someone vouches for content.
func Has(content []byte) bool {
	s := sha256.Sum256(content)
	mu.Lock()
	defer mu.Unlock()
	return known[s] > 0
}
