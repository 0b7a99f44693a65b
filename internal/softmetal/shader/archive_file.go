package shader

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/puremetal/puremetal/internal/document"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/version"
)

// An archive in a file is archiveMagic, the SHA-256 of the rest in hexadecimal, a newline,
// archiveFile as JSON, a newline, and the code of the kernels in the order in which archiveFile
// lists it.

const archiveMagic = "PureMetal archive 2\n"

type archiveFile struct {
	Build     string           `json:"build"` // version.Build of the build that made the code
	Libraries []archiveLibrary `json:"libraries"`
	Entries   []archiveEntry   `json:"entries"`
}

type archiveLibrary struct {
	Options Options `json:"options"`
	Source  string  `json:"source"`
	index
	Code []archiveCode `json:"code,omitempty"`
}

// archiveCode is a kernel, as ir.Module.Encode gives it.
type archiveCode struct {
	Kernel string `json:"kernel"`
	Size   int    `json:"size"` // bytes
}

// Encode returns the archive as a file holds it. Equal archives have equal files.
func (a *Archive) Encode() []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.encode()
}

// Flush writes the result of Encode, and empties the archive if that succeeds. Nothing can be added
// meanwhile.
func (a *Archive) Flush(write func([]byte) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := write(a.encode()); err != nil {
		return err
	}
	clear(a.libraries)
	clear(a.entries)
	return nil
}

func (a *Archive) encode() []byte {
	f := archiveFile{Build: version.Build()}
	kernels := map[string][]string{} // by library
	for _, k := range sortedKeys(a.entries) {
		e := a.entries[k]
		f.Entries = append(f.Entries, e)
		if e.Pipeline {
			kernels[e.Library] = append(kernels[e.Library], e.Function)
		}
	}
	hashes := make([]Hash, 0, len(a.libraries))
	for h := range a.libraries {
		hashes = append(hashes, h)
	}
	slices.SortFunc(hashes, func(x, y Hash) int { return bytes.Compare(x[:], y[:]) })
	var code []byte
	for _, h := range hashes {
		l := a.libraries[h]
		out := archiveLibrary{Options: l.Options, Source: l.Source, index: l.index}
		names := kernels[hex.EncodeToString(h[:])]
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			if data := encodeKernel(l.has(name)); data != nil { // else it is compiled when it is wanted
				out.Code = append(out.Code, archiveCode{name, len(data)})
				code = append(code, data...)
			}
		}
		f.Libraries = append(f.Libraries, out)
	}
	body, _ := json.Marshal(f)
	body = append(append(body, '\n'), code...)
	sum := sha256.Sum256(body)
	return append([]byte(archiveMagic+hex.EncodeToString(sum[:])+"\n"), body...)
}

// encodeKernel returns a kernel's code with the parts of its module that it needs, or nil for none.
func encodeKernel(f *ir.Func) []byte {
	if f == nil {
		return nil
	}
	m := *f.Module
	m.Funcs, m.Globals = []*ir.Func{f}, globalsOf(f)
	data, err := m.Encode()
	if err != nil {
		return nil
	}
	return data
}

// globalsOf returns the module's globals, those without data that the kernel does not use: tables
// of other kernels may be large.
func globalsOf(f *ir.Func) []*ir.Global {
	out := make([]*ir.Global, len(f.Module.Globals))
	for i, g := range f.Module.Globals {
		out[i] = &ir.Global{Name: g.Name, Align: g.Align}
	}
	f.Body.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpGlobalAddr {
			out[in.Imm] = f.Module.Globals[in.Imm]
		}
		return true
	})
	return out
}

// DecodeArchive reads what Encode wrote, and makes its libraries known to Compile. Code and
// reflection are used if trusted, meaning that this user's programs made them, and otherwise
// compiled from the source: a library known under the hash of a source always comes from that
// source.
func DecodeArchive(ctx context.Context, data []byte, trusted bool) (*Archive, *Error) {
	rest, ok := bytes.CutPrefix(data, []byte(archiveMagic))
	if !ok {
		return nil, archivef(ArchiveInvalidFile, "the file is no binary archive of the software device")
	}
	sum, body, _ := bytes.Cut(rest, []byte("\n"))
	if want := sha256.Sum256(body); string(sum) != hex.EncodeToString(want[:]) {
		return nil, archivef(ArchiveInvalidFile, "the binary archive does not have the hash that it states")
	}
	header, code, _ := bytes.Cut(body, []byte("\n"))
	var f archiveFile
	if err := document.Library.JSON(header, &f); err != nil {
		return nil, archivef(ArchiveInvalidFile, "the binary archive cannot be read: %v", err)
	}
	type reading struct {
		library *Library
		code    []*ir.Func
	}
	known := map[string]reading{}
	ours := trusted && f.Build == version.Build()
	for i := range f.Libraries {
		in := &f.Libraries[i]
		h := in.Options.hash(in.Source)
		l := libraries.get(h)
		if l == nil && ours {
			l = newLibrary(h, in.Source, in.Options, in.index)
		}
		if l == nil {
			compiled, err := Compile(ctx, in.Source, in.Options)
			if err != nil {
				return nil, archivef(ArchiveCompilationFailure, "a library of the binary archive does not compile: %s", err.Text)
			}
			l = compiled
		}
		var funcs []*ir.Func
		var err *Error
		if funcs, code, err = in.decode(code, l, ours); err != nil {
			return nil, err
		}
		known[hex.EncodeToString(h[:])] = reading{l, funcs}
	}
	if len(code) > 0 {
		return nil, archivef(ArchiveInvalidFile, "the binary archive has %d bytes too many", len(code))
	}
	a := NewArchive()
	for _, e := range f.Entries {
		if l := known[e.Library].library; l == nil || !slices.Contains(l.names, e.Function) {
			return nil, archivef(ArchiveUnexpectedElement, "the binary archive has the function '%s' without its library",
				e.Function)
		}
		a.entries[e.key()] = e
	}
	for _, r := range known { // all is right
		l := libraries.put(r.library)
		l.add(r.code)
		a.libraries[l.Hash] = l
	}
	return a, nil
}

// decode returns the kernels that a library lacks, if they are ours to use, and the code that is
// left.
func (in *archiveLibrary) decode(code []byte, l *Library, ours bool) (funcs []*ir.Func, left []byte, err *Error) {
	for _, c := range in.Code {
		if c.Size < 0 || c.Size > len(code) || !slices.Contains(in.Kernels, c.Kernel) {
			return nil, nil, archivef(ArchiveInvalidFile, "the binary archive does not have the code of kernel '%s'", c.Kernel)
		}
		data := code[:c.Size]
		code = code[c.Size:]
		if !ours || l.has(c.Kernel) != nil {
			continue
		}
		m, err := ir.Decode(data)
		if err != nil {
			return nil, nil, archivef(ArchiveInvalidFile, "kernel '%s' of the binary archive: %v", c.Kernel, err)
		}
		if len(m.Funcs) != 1 || m.Funcs[0].Name != c.Kernel {
			return nil, nil, archivef(ArchiveInvalidFile, "the binary archive has other code for kernel '%s'", c.Kernel)
		}
		funcs = append(funcs, m.Funcs...)
	}
	return funcs, code, nil
}
