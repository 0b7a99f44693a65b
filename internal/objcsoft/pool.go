package objcsoft

import (
	"errors"
	"fmt"
	"sync"
)

// Token is an autorelease pool that a goroutine has pushed. A goroutine that ends
// with a pool pushed leaves it behind (see OpenPools), and a later one may find it
// below its own.
type Token struct {
	goroutine uintptr
	serial    uint64
}

// poolStack holds the pools of one goroutine, innermost last. Objects of all
// pools share one slice; a pool begins at its mark.
type poolStack struct {
	objects []ID
	marks   []poolMark
}

type poolMark struct {
	start  int
	serial uint64
	site   []uintptr
}

const poolShards = 64

// poolShard maps goroutines to their stacks. Only a goroutine itself touches
// its stack, but for the report about pools left behind.
type poolShard struct {
	mu     sync.Mutex
	stacks map[uintptr]*poolStack
	_      [48]byte // one shard per cache line
}

func (rt *Runtime) poolShard(g uintptr) *poolShard {
	return &rt.pools[(g>>6^g>>13)%poolShards]
}

// PushPool begins an autorelease pool on this goroutine.
func (rt *Runtime) PushPool() Token {
	g := goroutine()
	token := Token{g, rt.poolSerial.Add(1)}
	mark := poolMark{serial: token.serial}
	if rt.trackSites.Load() {
		mark.site = stack()
	}
	shard := rt.poolShard(g)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	st := shard.stacks[g]
	if st == nil {
		st, _ = rt.poolStacks.Get().(*poolStack)
		if st == nil {
			st = new(poolStack)
		}
		if shard.stacks == nil {
			shard.stacks = map[uintptr]*poolStack{}
		}
		shard.stacks[g] = st
	}
	mark.start = len(st.objects)
	st.marks = append(st.marks, mark)
	return token
}

// PopPool ends a pool and releases its objects, latest first; what they
// autorelease meanwhile goes the same way. Pools pushed after it and left are
// drained with it and reported. A pool is popped by the goroutine that pushed it.
func (rt *Runtime) PopPool(token Token) error {
	g := goroutine()
	if token.goroutine != g {
		return fmt.Errorf("objc: %w popped by another goroutine than pushed it (at %s)", ErrPool, callSite())
	}
	shard := rt.poolShard(g)
	shard.mu.Lock()
	st := shard.stacks[g]
	depth := -1
	if st != nil {
		for i := len(st.marks) - 1; i >= 0 && depth < 0; i-- {
			if st.marks[i].serial == token.serial {
				depth = i
			}
		}
	}
	if depth < 0 {
		shard.mu.Unlock()
		return fmt.Errorf("objc: %w popped twice or never pushed (at %s)", ErrPool, callSite())
	}
	var errs []error
	if left := len(st.marks) - 1 - depth; left > 0 {
		errs = append(errs, fmt.Errorf("objc: %w popped with %d inner pools left (at %s)", ErrPool, left, callSite()))
		st.marks = st.marks[:depth+1]
	}
	start := st.marks[depth].start
	shard.mu.Unlock()

	// The pool stays the innermost one until it is empty. Released in batches,
	// so that the lock is not taken for each object nor held while hooks run.
	for {
		var batch [32]ID
		shard.mu.Lock()
		from := max(start, len(st.objects)-len(batch))
		n := copy(batch[:], st.objects[from:])
		st.objects = st.objects[:from]
		if n == 0 {
			st.marks = st.marks[:depth]
			if depth == 0 {
				delete(shard.stacks, g)
				if cap(st.objects) <= 1<<12 { // keep no giant
					rt.poolStacks.Put(st)
				}
			}
			shard.mu.Unlock()
			return errors.Join(errs...)
		}
		shard.mu.Unlock()
		for i := n - 1; i >= 0; i-- {
			if err := rt.Release(batch[i]); err != nil {
				errs = append(errs, fmt.Errorf("objc: draining an autorelease pool: %w", err))
			}
		}
	}
}

// PoolDepth returns how many pools this goroutine has pushed.
func (rt *Runtime) PoolDepth() int {
	g := goroutine()
	shard := rt.poolShard(g)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	if st := shard.stacks[g]; st != nil {
		return len(st.marks)
	}
	return 0
}

// Autorelease hands one reference to the object to this goroutine's innermost pool. Without a pool
// the object is never released; NoPoolCount counts such objects, and OnNoPool reports them.
func (rt *Runtime) Autorelease(id ID) error {
	if id == 0 {
		return nil
	}
	o := rt.table.get(id)
	if o == nil || o.refs.Load() <= 0 {
		return rt.noObject("autorelease", id)
	}
	if o.refs.Load() == immortalCount {
		return nil
	}
	if rt.addToPool(id) {
		return nil
	}
	rt.noPool.Add(1)
	if hook, _ := rt.onNoPool.Load().(func(string)); hook != nil {
		hook(o.class.Name)
	}
	return nil
}

// addToPool adds an object to this goroutine's innermost pool, and reports whether there is one.
func (rt *Runtime) addToPool(id ID) bool {
	g := goroutine()
	shard := rt.poolShard(g)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	st := shard.stacks[g]
	if st == nil {
		return false
	}
	st.objects = append(st.objects, id)
	return true
}

// OnNoPool sets a function that is called, on the goroutine that autoreleases, for each object that
// is autoreleased without a pool. It gets the object's class.
func (rt *Runtime) OnNoPool(hook func(class string)) { rt.onNoPool.Store(hook) }

// NoPoolCount returns how many objects were autoreleased without a pool.
func (rt *Runtime) NoPoolCount() int { return int(rt.noPool.Load()) }

// OpenPool is a pool that has not been popped.
type OpenPool struct {
	// Site is where it was pushed, when sites were tracked then.
	Site string
	// Objects is how many objects wait in it.
	Objects int
}

// OpenPools returns all pools of all goroutines that are open now. After the
// program's work there should be none.
func (rt *Runtime) OpenPools() []OpenPool {
	var open []OpenPool
	for i := range rt.pools {
		shard := &rt.pools[i]
		shard.mu.Lock()
		for _, st := range shard.stacks {
			end := len(st.objects)
			for j := len(st.marks) - 1; j >= 0; j-- {
				m := st.marks[j]
				open = append(open, OpenPool{siteOf(m.site), end - m.start})
				end = m.start
			}
		}
		shard.mu.Unlock()
	}
	return open
}
