package objc

import (
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/invariants"
)

// Debug mode records where every reference that the program owns came from, so that [Leaks] can
// report it, and lists the autorelease pools that were never drained. PUREMETAL_OBJC_DEBUG=1
// switches it on, and so does a build with the tag "invariants". It costs a stack walk for every
// new object.
var debug struct {
	on    atomic.Bool
	sites sync.Map // ID -> string, Apple's driver
	pools sync.Map // *AutoreleasePool -> string
}

// debugVariable switches debug mode on.
const debugVariable = "PUREMETAL_OBJC_DEBUG"

// startDebug is called before the driver is first used.
func startDebug(d *activeDriver) {
	if os.Getenv(debugVariable) != "1" && !invariants.Enabled {
		return
	}
	debug.on.Store(true)
	if d.soft != nil {
		d.soft.TrackSites(true)
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
