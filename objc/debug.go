package objc

import (
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/invariants"
)

// Debug mode remembers where every reference that the program owns came from, so that [Leaks] can
// say it, and lists the autorelease pools that nobody drained. It is on with PUREMETAL_OBJC_DEBUG=1
// and in builds with the tag "invariants", and costs a stack walk for every new object.
var debug struct {
	on    atomic.Bool
	sites sync.Map // ID -> string, Apple's driver
	pools sync.Map // *AutoreleasePool -> string
}

// debugVariable switches debug mode on.
const debugVariable = "PUREMETAL_OBJC_DEBUG"

// startDebug is called before the driver is in use.
func startDebug(d *activeDriver) {
	if os.Getenv(debugVariable) != "1" && !invariants.Enabled {
		return
	}
	debug.on.Store(true)
	if d.soft != nil {
		d.soft.TrackSites(true)
	}
}

// debugOwned notes where a +1 object came to the program.
func debugOwned(id ID) {
	if debug.on.Load() {
		debug.sites.LoadOrStore(id, callSite())
	}
}

func debugRetained(id ID) { debugOwned(id) }

// debugReleased forgets an object's site when no reference is left.
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

// debugPool notes an explicit pool.
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

// OpenPools returns the call sites of the pools that [NewAutoreleasePool] made and nobody has
// drained, in debug mode. A pool whose goroutine has ended stays in this list for ever: its objects
// are lost.
func OpenPools() []string {
	var sites []string
	debug.pools.Range(func(_, site any) bool {
		sites = append(sites, site.(string))
		return true
	})
	slices.Sort(sites)
	return sites
}
