package sanitize

import (
	"math/bits"
	"sync"
)

// bytesPage is the number of bytes that a byteSet covers.
const bytesPage = 4096

// byteSet is a set of the bytes of a page.
type byteSet [bytesPage / 64]uint64

// full returns the set of all bytes of a page. Sets in a History that are full are this one.
var full = sync.OnceValue(func() *byteSet {
	s := new(byteSet)
	s.add(0, bytesPage)
	return s
})

// eachPage calls f with the pages of a range of bytes, and which of their bytes are in it.
func eachPage(address, n uintptr, f func(page uintptr, first, n int)) {
	for end := address + n; address < end; {
		page, first := address/bytesPage, address%bytesPage
		k := min(bytesPage-first, end-address)
		f(page, int(first), int(k))
		address += k
	}
}

// eachWord calls f with the words of a range of bytes and which of their bits are in it.
func eachWord(first, n int, f func(word int, mask uint64) bool) {
	for end := first + n; first < end; {
		bit := first % 64
		k := min(64-bit, end-first)
		if !f(first/64, ^uint64(0)>>(64-k)<<bit) {
			return
		}
		first += k
	}
}

func (s *byteSet) add(first, n int) {
	if bit := first % 64; bit+n <= 64 { // of one word
		s[first/64] |= ^uint64(0) >> (64 - n) << bit
		return
	}
	eachWord(first, n, func(w int, mask uint64) bool { s[w] |= mask; return true })
}

func (s *byteSet) remove(first, n int) {
	eachWord(first, n, func(w int, mask uint64) bool { s[w] &^= mask; return true })
}

func (s *byteSet) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }

func (s *byteSet) empty() bool { return *s == byteSet{} }

// first returns the first byte of a range that is in the set, or -1.
func (s *byteSet) first(first, n int) int {
	found := -1
	eachWord(first, n, func(w int, mask uint64) bool {
		if x := s[w] & mask; x != 0 {
			found = 64*w + bits.TrailingZeros64(x)
		}
		return found < 0
	})
	return found
}

// both returns the first byte that is in both sets, or -1.
func (s *byteSet) both(o *byteSet) int {
	for i := range s {
		if x := s[i] & o[i]; x != 0 {
			return 64*i + bits.TrailingZeros64(x)
		}
	}
	return -1
}

// without returns the bytes that are not in another set. It may change s unless s is full.
func (s *byteSet) without(o *byteSet) *byteSet {
	if s == full() {
		if o == full() {
			return new(byteSet)
		}
		s = new(byteSet)
		*s = *full()
	}
	for i := range s {
		s[i] &^= o[i]
	}
	return s
}

// shared returns the one full set for a full set.
func (s *byteSet) shared() *byteSet {
	if *s == *full() {
		return full()
	}
	return s
}
