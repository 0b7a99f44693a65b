package shader

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
)

// Archive is a binary archive: functions and pipelines that were compiled into it, with the libraries that they are of. Looking a
// pipeline up says whether it was added; the programs themselves are in the caches of the libraries. All methods may be called by any goroutine.
type Archive struct {
	mu        sync.Mutex
	libraries map[Hash]archiveLibrary
	entries   map[string]archiveEntry // by key
}

type archiveLibrary struct {
	Options Options `json:"options"`
	Source  string  `json:"source"`
}

type archiveEntry struct {
	Library   string            `json:"library"` // hash
	Function  string            `json:"function"`
	Constants map[string][]byte `json:"constants,omitempty"` // by index
	Linked    []string          `json:"linked,omitempty"`    // names, in order
	Pipeline  bool              `json:"pipeline"`            // a compute pipeline's, else the function by itself
}

// NewArchive returns an empty archive.
func NewArchive() *Archive {
	return &Archive{libraries: map[Hash]archiveLibrary{}, entries: map[string]archiveEntry{}}
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
func (a *Archive) AddPipeline(p *Pipeline) {
	a.add(p.Spec.Function, p.Spec.Linked, true)
}

// AddFunction compiles a function by itself into the archive.
func (a *Archive) AddFunction(f *Function) { a.add(f, nil, false) }

func (a *Archive) add(f *Function, linked []*Function, pipeline bool) {
	key, e := entryOf(f, linked, pipeline)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.libraries[f.Library.Hash] = archiveLibrary{f.Library.Options, f.Library.Source}
	a.entries[key] = e
}

// HasPipeline reports whether a pipeline's functions were added.
func (a *Archive) HasPipeline(spec *PipelineSpec) bool {
	return a.has(entryOf(spec.Function, spec.Linked, true))
}

// HasFunction reports whether a function was added by itself.
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

const archiveMagic = "PureMetal archive 1\n"

// archiveFile is an archive in a file: behind archiveMagic the SHA-256 of the rest in hexadecimal and a newline, then this as JSON.
type archiveFile struct {
	Libraries []archiveLibrary `json:"libraries"`
	Entries   []archiveEntry   `json:"entries"`
}

// Encode returns the archive as a file holds it. Equal archives have equal files.
func (a *Archive) Encode() []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.encode()
}

// Flush is Encode, and empties the archive.
func (a *Archive) Flush() []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	data := a.encode()
	clear(a.libraries)
	clear(a.entries)
	return data
}

func (a *Archive) encode() []byte {
	var f archiveFile
	hashes := make([]Hash, 0, len(a.libraries))
	for h := range a.libraries {
		hashes = append(hashes, h)
	}
	slices.SortFunc(hashes, func(x, y Hash) int { return bytes.Compare(x[:], y[:]) })
	for _, h := range hashes {
		f.Libraries = append(f.Libraries, a.libraries[h])
	}
	for _, k := range sortedKeys(a.entries) {
		f.Entries = append(f.Entries, a.entries[k])
	}
	body, _ := json.Marshal(f)
	sum := sha256.Sum256(body)
	return append([]byte(archiveMagic+hex.EncodeToString(sum[:])+"\n"), body...)
}

// DecodeArchive reads what Encode wrote. The libraries are compiled, so that what a program compiles later is found.
func DecodeArchive(ctx context.Context, data []byte) (*Archive, *Error) {
	rest, ok := bytes.CutPrefix(data, []byte(archiveMagic))
	if !ok {
		return nil, archivef(ArchiveInvalidFile, "the file is no binary archive of the software device")
	}
	sum, body, _ := bytes.Cut(rest, []byte("\n"))
	if want := sha256.Sum256(body); string(sum) != hex.EncodeToString(want[:]) {
		return nil, archivef(ArchiveInvalidFile, "the binary archive does not have the hash that it states")
	}
	var f archiveFile
	if err := json.Unmarshal(body, &f); err != nil {
		return nil, archivef(ArchiveInvalidFile, "the binary archive cannot be read: %v", err)
	}
	a := NewArchive()
	known := map[string]*Library{}
	for _, in := range f.Libraries {
		l, err := Compile(ctx, in.Source, in.Options)
		if err != nil {
			return nil, archivef(ArchiveCompilationFailure, "a library of the binary archive does not compile: %s", err.Text)
		}
		a.libraries[l.Hash] = in
		known[hex.EncodeToString(l.Hash[:])] = l
	}
	for _, e := range f.Entries {
		l := known[e.Library]
		if l == nil || l.Function(e.Function) == nil {
			return nil, archivef(ArchiveUnexpectedElement, "the binary archive has the function '%s' without its library", e.Function)
		}
		a.entries[e.key()] = e
	}
	return a, nil
}
