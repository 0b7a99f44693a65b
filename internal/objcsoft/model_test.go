package objcsoft

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// history runs random operations on a runtime and on a model of it: counts,
// pools and who holds whom.
type history struct {
	t     *testing.T
	rt    *Runtime
	rng   *rand.Rand
	count map[ID]int
	pools [][]ID
	token []Token
	dead  []ID
	items map[ID][]ID // of the arrays among them
}

func (h *history) pick() ID {
	ids := make([]ID, 0, len(h.count))
	for id := range h.count {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return 0
	}
	slices.Sort(ids) // a map's order is not repeatable
	return ids[h.rng.IntN(len(ids))]
}

// release is the model's.
func (h *history) release(id ID) {
	h.count[id]--
	if h.count[id] > 0 {
		return
	}
	delete(h.count, id)
	h.dead = append(h.dead, id)
	items := h.items[id]
	delete(h.items, id)
	for _, item := range items {
		h.release(item)
	}
}

func (h *history) step() {
	switch op := h.rng.IntN(14); op {
	case 0, 1:
		h.count[h.rt.NewObject(h.rt.Class("NSObject"), nil)] = 1
	case 2:
		var items []ID
		for range h.rng.IntN(4) {
			if id := h.pick(); id != 0 {
				items = append(items, id)
			}
		}
		id, err := h.rt.NewArray(items)
		require.NoError(h.t, err)
		h.count[id] = 1
		h.items[id] = items
		for _, item := range items {
			h.count[item]++
		}
	case 3, 4:
		if id := h.pick(); id != 0 {
			require.NoError(h.t, h.rt.Retain(id))
			h.count[id]++
		}
	case 5, 6, 7:
		// Only counts that no array and no pool has are ours to give back.
		if id := h.pick(); id != 0 && h.count[id] > h.held(id) {
			require.NoError(h.t, h.rt.Release(id))
			h.release(id)
		}
	case 8, 9:
		if id := h.pick(); id != 0 && h.count[id] > h.held(id) && len(h.pools) > 0 {
			require.NoError(h.t, h.rt.Autorelease(id))
			h.pools[len(h.pools)-1] = append(h.pools[len(h.pools)-1], id)
		}
	case 10:
		h.token = append(h.token, h.rt.PushPool())
		h.pools = append(h.pools, nil)
	case 11:
		if n := len(h.pools); n > 0 {
			require.NoError(h.t, h.rt.PopPool(h.token[n-1]))
			objects := h.pools[n-1]
			h.pools, h.token = h.pools[:n-1], h.token[:n-1]
			for _, id := range objects {
				h.release(id)
			}
		}
	case 12:
		if len(h.dead) > 0 {
			id := h.dead[h.rng.IntN(len(h.dead))]
			require.ErrorIs(h.t, h.rt.Release(id), ErrReleased)
			require.ErrorIs(h.t, h.rt.Retain(id), ErrReleased)
		}
	case 13:
		if id := h.pick(); id != 0 {
			require.Equal(h.t, h.count[id], h.rt.RetainCount(id))
		}
	}
}

// held is how many counts of an object belong to pools and arrays.
func (h *history) held(id ID) int {
	n := 0
	for _, pool := range h.pools {
		for _, other := range pool {
			if other == id {
				n++
			}
		}
	}
	for _, items := range h.items {
		for _, other := range items {
			if other == id {
				n++
			}
		}
	}
	return n
}

func (h *history) check() {
	require.Equal(h.t, len(h.count), h.rt.LiveTotal())
	for id, n := range h.count {
		require.Equal(h.t, n, h.rt.RetainCount(id))
	}
	require.Equal(h.t, len(h.pools), h.rt.PoolDepth())
}

func TestRandomHistories(t *testing.T) {
	for seed := range uint64(60) {
		h := &history{t: t, rt: New(), rng: rand.New(rand.NewPCG(seed, 1)), count: map[ID]int{}, items: map[ID][]ID{}}
		for range 400 {
			h.step()
		}
		h.check()
		for i := len(h.token) - 1; i >= 0; i-- {
			require.NoError(t, h.rt.PopPool(h.token[i]), "seed %d", seed)
			for _, id := range h.pools[i] {
				h.release(id)
			}
		}
		h.pools, h.token = nil, nil
		for len(h.count) > 0 {
			id := h.pick()
			if h.count[id] > h.held(id) {
				require.NoError(t, h.rt.Release(id), "seed %d", seed)
				h.release(id)
			}
		}
		h.check()
		require.Zero(t, h.rt.NoPoolCount(), "seed %d", seed)
	}
}

// TestHammer has goroutines work on shared objects and collections while others
// register classes, extend them and look at everything.
func TestHammer(t *testing.T) {
	h := newHarness(t)
	steps := 400
	shared := []ID{h.str("a"), h.str("b"), h.own(h.NewInt(1)), h.own(h.NewData([]byte{1, 2}))}
	list := h.own(h.id(h.class("NSMutableArray"), "new"))
	dict := h.own(h.id(h.class("NSMutableDictionary"), "new"))
	block, err := h.NewBlock("v@?@", func(args []uintptr) uintptr { return args[0] })
	require.NoError(t, err)
	h.own(block)
	must := func(_ uintptr, err error) {
		if err != nil {
			t.Error(err)
		}
	}
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(n), 2))
			for range steps {
				token := h.PushPool()
				id := shared[rng.IntN(len(shared))]
				switch rng.IntN(9) {
				case 0:
					must(h.Message(list, "addObject:", "v@:@", uintptr(id)))
				case 1:
					must(h.Message(list, "lastObject", "@@:"))
				case 2:
					must(h.Message(list, "removeLastObject", "v@:"))
				case 3:
					must(h.Message(dict, "setObject:forKey:", "v@:@@", uintptr(id), uintptr(id)))
				case 4:
					must(h.Message(dict, "objectForKey:", "@@:@", uintptr(id)))
				case 5:
					must(h.Message(dict, "removeObjectForKey:", "v@:@", uintptr(id)))
				case 6:
					must(h.Message(shared[0], "UTF8String", "r*@:"))
					must(h.Message(shared[3], "bytes", "r^v@:"))
				case 7:
					must(h.Message(dict, "description", "@@:"))
					must(h.Message(list, "count", "Q@:"))
					must(h.Message(id, "copy", "@@:"))
					must(0, h.Release(id))
				case 8:
					must(h.InvokeBlock(block, []uintptr{uintptr(id)}))
				}
				must(0, h.PopPool(token))
			}
		})
	}
	wg.Go(func() {
		for i := range 40 {
			name := "Hammer" + string(rune('A'+i))
			if _, err := h.Register(ClassSpec{Name: name}); err != nil {
				t.Error(err)
			}
			if err := h.Extend("NSObject", []MethodSpec{{"hammer" + name, "v@:", func(*Call) {}}}, nil); err != nil {
				t.Error(err)
			}
			must(h.Message(shared[0], "hammer"+name, "v@:"))
			h.Leaks()
			h.LiveByClass()
			h.OpenPools()
		}
	})
	wg.Wait()
	h.send(list, "removeAllObjects")
	h.send(dict, "removeAllObjects")
}
