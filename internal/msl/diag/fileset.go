package diag

import (
	"fmt"
	"sort"
	"strings"
)

// Pos is a place in the source text of a FileSet, or a token that a macro brought. The zero Pos is
// no place at all.
type Pos int32

// NoPos is the position of what has none.
const NoPos Pos = 0

// IsValid reports whether p is a place at all.
func (p Pos) IsValid() bool { return p != NoPos }

// InMacro reports whether p belongs to a token that a macro brought.
func (p Pos) InMacro() bool { return p < 0 }

// Position is a place as people name it: what #line says where that was used.
type Position struct {
	File   string // as given to AddFile, or by #line
	Line   int    // from 1; 0 when there is no place
	Column int    // in bytes, from 1
}

// String gives the position as compilers print it: "file:line:column".
func (p Position) String() string {
	if p.Line == 0 {
		if p.File == "" {
			return "-"
		}
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// IsValid reports whether p is a place at all.
func (p Position) IsValid() bool { return p.Line > 0 }

// File is one source text of a FileSet. The same file included twice is two Files.
type File struct {
	Name     string // as messages show it
	Text     string
	Included Pos  // the #include that brought it; NoPos for the file that was compiled
	Cut      bool // the text had no room in the set, and ends too early

	base  Pos
	lines []int32 // offset of the first byte of each line
	moves []move  // what #line said, in order of offsets
}

// move is the effect of one #line: the line that offset lies in is called line of name.
type move struct {
	offset int32
	line   int32 // what the line that offset lies in is called
	name   string
}

// Pos returns the position of an offset into the text.
func (f *File) Pos(offset int) Pos { return f.base + Pos(offset) }

// Offset returns the offset of a position that lies in the file.
func (f *File) Offset(p Pos) int { return int(p - f.base) }

// End returns the position just behind the text.
func (f *File) End() Pos { return f.base + Pos(len(f.Text)) }

// Contains reports whether p lies in the file or just behind its text.
func (f *File) Contains(p Pos) bool { return p >= f.base && p <= f.End() }

// LineCount returns how many lines the text has; text that ends in a newline has an empty last one.
func (f *File) LineCount() int { return len(f.lines) }

// LineAt returns the number, from 1, of the physical line an offset lies in.
func (f *File) LineAt(offset int) int {
	return sort.Search(len(f.lines), func(i int) bool { return int(f.lines[i]) > offset })
}

// LineStart returns the offset of the first byte of a physical line.
func (f *File) LineStart(line int) int { return int(f.lines[line-1]) }

// Line returns the text of a physical line, from 1, without its end.
func (f *File) Line(line int) string {
	if line < 1 || line > len(f.lines) {
		return ""
	}
	text := f.Text[f.lines[line-1]:]
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		text = text[:i]
	}
	return strings.TrimSuffix(text, "\r")
}

// SetLine records a #line: the physical line that an offset lies in is called line, of the file
// name; an empty name leaves the name alone. Calls come in the order of their offsets.
func (f *File) SetLine(offset, line int, name string) {
	if name == "" {
		name = f.Name
		if n := len(f.moves); n > 0 {
			name = f.moves[n-1].name
		}
	}
	f.moves = append(f.moves, move{int32(offset), int32(line), name})
}

// Position returns what an offset is called, heeding #line.
func (f *File) Position(offset int) Position {
	line := f.LineAt(offset)
	p := Position{f.Name, line, offset - int(f.lines[line-1]) + 1}
	if i := sort.Search(len(f.moves), func(i int) bool { return int(f.moves[i].offset) > offset }); i > 0 {
		m := f.moves[i-1]
		p.File, p.Line = m.name, int(m.line)+line-f.LineAt(int(m.offset))
	}
	return p
}

// Physical returns where an offset lies in the text as it is, whatever #line says.
func (f *File) Physical(offset int) Position {
	line := f.LineAt(offset)
	return Position{f.Name, line, offset - int(f.lines[line-1]) + 1}
}

// MaxText is how many bytes of source a FileSet holds.
const MaxText = 1 << 30

// FileSet holds the source texts of one compilation and the macro expansions that happened in it.
// The zero FileSet is ready for use. Adding is for one goroutine; once nothing is added any more,
// any number may read.
type FileSet struct {
	start      Pos // what comes before the first file
	files      []*File
	next       Pos // the base of the file to come
	expansions []Expansion
	expanded   []expandedToken
}

// NewFileSet returns an empty FileSet.
func NewFileSet() *FileSet { return new(FileSet) }

// NewLibrarySet returns an empty FileSet whose places lie in no other set: of texts that belong to
// the compiler.
func NewLibrarySet() *FileSet { return &FileSet{start: MaxText, next: MaxText} }

// InLibrary reports whether p is a place of a set that NewLibrarySet made.
func (p Pos) InLibrary() bool { return p > MaxText }

// Room returns how many bytes of source the set still takes.
func (fs *FileSet) Room() int { return MaxText - int(fs.next-fs.start) - 2 }

// AddFile adds a source text. Text beyond Room is cut off, as the file's Cut reports.
func (fs *FileSet) AddFile(name, text string) *File { return fs.AddIncluded(name, text, NoPos) }

// AddIncluded adds a source text that the #include at a position brought.
func (fs *FileSet) AddIncluded(name, text string, at Pos) *File {
	whole := len(text)
	text = text[:min(whole, max(0, fs.Room()))]
	f := &File{Name: name, Text: text, Included: at, Cut: len(text) < whole, base: fs.next + 1}
	f.lines = make([]int32, 1, 1+strings.Count(text, "\n"))
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
		f.lines = append(f.lines, int32(i))
	}
	fs.next = f.End()
	fs.files = append(fs.files, f)
	return f
}

// Files returns the files in the order in which they were added.
func (fs *FileSet) Files() []*File { return fs.files }

// Size returns how many bytes all files have.
func (fs *FileSet) Size() (n int) {
	for _, f := range fs.files {
		n += len(f.Text)
	}
	return n
}

// File returns the file that a place lies in; for a token that a macro brought, the file of the
// place that Resolve finds. It is nil for no place.
func (fs *FileSet) File(p Pos) *File {
	p = fs.Resolve(p)
	i := sort.Search(len(fs.files), func(i int) bool { return fs.files[i].base > p })
	if p <= 0 || i == 0 || p.InLibrary() != (fs.start > 0) {
		return nil
	}
	return fs.files[i-1]
}

// Position returns what a place is called. A token that a macro brought is where Resolve finds it.
func (fs *FileSet) Position(p Pos) Position {
	p = fs.Resolve(p)
	if f := fs.File(p); f != nil {
		return f.Position(f.Offset(p))
	}
	return Position{}
}
