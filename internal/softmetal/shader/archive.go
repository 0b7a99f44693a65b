package shader

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
)

// Archive is a binary archive: functions and pipelines that were compiled into it, with their
// libraries. Looking up a pipeline tells whether it was added; the programs themselves are in the
// libraries. All methods may be called from any goroutine.
//
// A file has a library's source, its reflection data, and the code of the kernels that were added.
// Source speaks for itself, but code and reflection data can be anything that the file's author
// likes. So code is used only from a file that is known to be this user's own and from this build:
// the library then becomes known, and a program that later asks for the same source need not
// compile it. If it needs a kernel that no archive had, the source is compiled at that point. From
// any other file, the source is compiled at once, and the rest is ignored.
type Archive struct {
	mu        sync.Mutex
	libraries map[Hash]*Library
	entries   map[string]archiveEntry // by key
}

type archiveEntry struct {
	Library   string            `json:"library"` // hash
	Function  string            `json:"function"`
	Constants map[string][]byte `json:"constants,omitempty"` // by index
	Linked    []string          `json:"linked,omitempty"`    // names, in order
	Pipeline  bool              `json:"pipeline"`            // for a compute pipeline, else for the function alone
}

// NewArchive returns an empty archive.
func NewArchive() *Archive {
	return &Archive{libraries: map[Hash]*Library{}, entries: map[string]archiveEntry{}}
}

func entryOf(f *Function, linked []*Function, pipeline bool) (key string, e archiveEntry) {
	e = archiveEntry{Library: hex.EncodeToString(f.Library.Hash[:]), Function: f.Name, Pipeline: pipeline}
	for i, b := range f.constants {
		if e.Constants == nil {
			e.Constants = map[string][]byte{}
		}
		e.Constants[strconv.Itoa(i)] = b
	}
	for _, g := range linked {
		e.Linked = append(e.Linked, g.Name)
	}
	slices.Sort(e.Linked)
	return e.key(), e
}

func (e *archiveEntry) key() string {
	b, _ := json.Marshal(e)
	return string(b)
}

// AddPipeline compiles a pipeline's functions into the archive.
func (a *Archive) AddPipeline(spec *PipelineSpec) {
	a.add(spec.Function, spec.Linked, true)
}

// AddFunction compiles a function alone, without a pipeline, into the archive.
func (a *Archive) AddFunction(f *Function) { a.add(f, nil, false) }

func (a *Archive) add(f *Function, linked []*Function, pipeline bool) {
	key, e := entryOf(f, linked, pipeline)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.libraries[f.Library.Hash] = f.Library
	a.entries[key] = e
}

// HasPipeline reports whether a pipeline's functions were added.
func (a *Archive) HasPipeline(spec *PipelineSpec) bool {
	return a.has(entryOf(spec.Function, spec.Linked, true))
}

// HasFunction reports whether a function was added with AddFunction.
func (a *Archive) HasFunction(f *Function) bool { return a.has(entryOf(f, nil, false)) }

func (a *Archive) has(key string, _ archiveEntry) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.entries[key]
	return ok
}

// Len returns how many functions and pipelines the archive has.
func (a *Archive) Len() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.entries)
}
