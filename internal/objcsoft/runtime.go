package objcsoft

import (
	"sync"
	"sync/atomic"
)

// Runtime is an Objective-C runtime with its own objects. Handles, selectors and encodings are
// valid only in the runtime that made them. Its methods may be called from any goroutine.
type Runtime struct {
	table     handleTable
	selectors selectors
	encodings encodings
	classes   classes
	calls     sync.Pool // *Call

	unbuilt       *methodTable // marks a table that is not built yet
	root          *Class       // NSObject
	protocolClass *Class
	blockClass    *Class
	foundation    foundation

	frameworks frameworks

	blockEncs    layouts // by a block's encoding
	blockArgs    sync.Pool
	onBlockPanic atomic.Value // func(ID, error)

	pools      [poolShards]poolShard
	poolStacks sync.Pool
	poolSerial atomic.Uint64
	noPool     atomic.Int64
	onNoPool   atomic.Value // func(class string)

	trackSites atomic.Bool
}

// layouts is a sync.Map from an encoding to a *layout. As an interface, it is not compiled again by
// each package that holds a Runtime; see pointers_unsafe.go.
type layouts interface {
	Load(encoding any) (l any, ok bool)
	LoadOrStore(encoding, l any) (kept any, loaded bool)
}

// New makes a runtime with Foundation loaded.
func New() *Runtime {
	rt := &Runtime{
		selectors: selectors{byKey: map[string]Sel{"": 0}, names: []string{""}},
		encodings: encodings{byText: map[string]*layout{}, all: []*layout{nil}},
		classes:   classes{byName: map[string]*Class{}, protocols: map[string]*Protocol{}},
		frameworks: frameworks{
			byName:    map[string]*framework{},
			functions: map[string]*Function{},
			constants: map[string]constant{},
		},
	}
	rt.blockEncs = new(sync.Map)
	rt.unbuilt = &methodTable{entries: make([]methodEntry, 1)}
	rt.table.next = 1 // a handle with nothing but the tag would be easy to forge
	rt.calls.New = func() any { return &Call{RT: rt} }
	rt.blockArgs.New = func() any { return new(blockArgs) }
	if err := rt.loadFoundation(); err != nil {
		// The tables of this package contradict each other; no input can cause this.
		panic(err)
	}
	return rt
}
