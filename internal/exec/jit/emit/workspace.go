package emit

import (
	"sync"

	"github.com/puremetal/puremetal/internal/ir/lir"
)

// workspace is memory that a compiler needs only while it emits code. Another uses it then: to make
// tables for each takes long, and compilers that wait for the rest of their code are smaller.
type workspace struct {
	within     *values       // see lanes
	outside    [4]*values    // see apart
	fixed      *table[uint8] // see lanes
	readers    *table[[]int] // see findReaders
	unread     []lir.Ref     // see findLastReads
	unreadEnds []int         // of each instruction's part of it
}

// workspaces are those that no compiler uses.
var workspaces sync.Pool

// borrowWorkspace gives the compiler a workspace until the returned function is called.
func (c *compiler) borrowWorkspace() (giveBack func()) {
	w, ok := workspaces.Get().(*workspace)
	if !ok {
		w = &workspace{within: newValues(c.Program), fixed: &table[uint8]{}, readers: &table[[]int]{}}
		for i := range w.outside {
			w.outside[i] = newValues(c.Program)
		}
	}
	w.within.reset(c.Program)
	for _, v := range w.outside {
		v.reset(c.Program)
	}
	w.fixed.reset(c.Program)
	w.readers.reset(c.Program)
	c.workspace = w
	return func() {
		c.workspace = nil
		workspaces.Put(w)
	}
}
