package objc

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"sync/atomic"
)

// Debug mode records where every reference that the program owns came from, so that [Leaks] can
// report it, lists the autorelease pools that were never drained, and reports +0 objects that are
// received outside of a pool. PUREMETAL_OBJC_DEBUG=1 switches it on, and so does a build with the
// tag "invariants". It costs a stack walk for every new object.
var debug struct {
	on    atomic.Bool
	sites sync.Map // ID -> string, Apple's driver
	pools sync.Map // *AutoreleasePool -> string

	unpooled sync.Map // unpooled -> *atomic.Int64, how many
}

// unpooled is what objects outside of pools are counted by.
type unpooled struct{ class, site string }

// debugVariable switches debug mode on.
const debugVariable = "PUREMETAL_OBJC_DEBUG"

// startDebug is called before the driver is first used.
func startDebug(d *activeDriver) {
	if os.Getenv(debugVariable) != "1" && !expensiveChecks {
		return
	}
	debug.on.Store(true)
	if d.soft != nil {
		d.soft.TrackSites(true)
		d.soft.OnNoPool(debugUnpooled)
	}
}

// debugOwned records where the program received a +1 object.
func debugOwned(id ID) {
	if debug.on.Load() {
		debug.sites.LoadOrStore(id, callSite())
	}
}

func debugRetained(id ID) { debugOwned(id) }

// debugReleased forgets an object's site when its last reference is released.
func debugReleased(id ID) {
	if !debug.on.Load() {
		return
	}
	if d := driverInUse.Load(); d != nil && d.apple != nil && d.apple.ownedRefs(id) <= 1 {
		debug.sites.Delete(id)
	}
}

func debugSite(id ID) string {
	s, _ := debug.sites.Load(id)
	site, _ := s.(string)
	return site
}

// debugPool records a pool made by [NewAutoreleasePool].
func debugPool(p *AutoreleasePool) {
	if debug.on.Load() {
		p.site = callSite()
		debug.pools.Store(p, p.site)
	}
}

func debugPoolDrained(p *AutoreleasePool) {
	if p.site != "" {
		debug.pools.Delete(p)
	}
}

// OpenPools returns, in debug mode, the call sites of the pools that [NewAutoreleasePool] made and
// that have not been drained. A pool stays in the list for ever once its goroutine has ended,
// because nobody else may drain it: its objects have leaked.
func OpenPools() []string {
	var sites []string
	debug.pools.Range(func(_, site any) bool {
		sites = append(sites, site.(string))
		return true
	})
	slices.Sort(sites)
	return sites
}

// debugUnpooled records a +0 object that was received outside of a pool, and logs the first of each
// class at each call site.
func debugUnpooled(class string) {
	if !debug.on.Load() {
		return
	}
	key := unpooled{class, callSite()}
	n, _ := debug.unpooled.LoadOrStore(key, new(atomic.Int64))
	if n.(*atomic.Int64).Add(1) == 1 {
		slog.Warn("objc: an autoreleased object was received outside of a pool and is never released; "+
			"call objc.Pool around it", "class", class, "site", key.site)
	}
}

// Unpooled returns, in debug mode, a line for each class and call site that received autoreleased
// (+0) objects outside of any pool, and how many: such objects are never released. The software
// driver counts objects that were made for the call. Apple's driver cannot tell those from objects
// that their owner keeps anyway, and counts both; its handles to them stay valid for ever.
func Unpooled() []string {
	var lines []string
	debug.unpooled.Range(func(key, n any) bool {
		k := key.(unpooled)
		lines = append(lines, fmt.Sprintf("%s: %d objects, from %s", k.class, n.(*atomic.Int64).Load(), k.site))
		return true
	})
	slices.Sort(lines)
	return lines
}
