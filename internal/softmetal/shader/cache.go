package shader

import (
	"container/list"
	"sync"
)

// libraryCache keeps the libraries that were used last. Those that are in use elsewhere are found
// only while they are here too: a library is immutable, so two of one source differ in nothing but
// memory.
type libraryCache struct {
	mu     sync.Mutex
	byHash map[Hash]*list.Element // of *Library
	recent list.List              // latest first
	bytes  int                    // of source
}

// The most that the cache keeps.
const (
	cacheLibraries = 64
	cacheSource    = 8 << 20
)

// libraries is the cache of this program.
var libraries libraryCache

func (c *libraryCache) get(h Hash) *Library {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byHash[h]
	if e == nil {
		return nil
	}
	c.recent.MoveToFront(e)
	return e.Value.(*Library)
}

// put adds a library and returns the one to use: that of another goroutine if it was faster.
func (c *libraryCache) put(l *Library) *Library {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.byHash[l.Hash]; e != nil {
		c.recent.MoveToFront(e)
		return e.Value.(*Library)
	}
	if c.byHash == nil {
		c.byHash = map[Hash]*list.Element{}
	}
	c.byHash[l.Hash] = c.recent.PushFront(l)
	c.bytes += len(l.Source)
	for c.recent.Len() > 1 && (c.recent.Len() > cacheLibraries || c.bytes > cacheSource) {
		last := c.recent.Remove(c.recent.Back()).(*Library)
		delete(c.byHash, last.Hash)
		c.bytes -= len(last.Source)
	}
	return l
}
