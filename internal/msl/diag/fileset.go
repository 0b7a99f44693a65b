package diag

import (
	"fmt"
	"sort"
	"strings"
)

// Pos is a position in the source text of a FileSet, or a token produced by a macro. The zero Pos
// is no position.
type Pos int32

// NoPos is the position of something that has none.
const NoPos Pos = 0

// IsValid reports whether p is a position.
func (p Pos) IsValid() bool { return p != NoPos }

// InMacro reports whether p belongs to a token produced by a macro.
func (p Pos) InMacro() bool { return p < 0 }

// Position is a position in human terms, adjusted by #line.
type Position struct {
	File   string // as given to AddFile, or by #line
	Line   int    // from 1; 0 if there is no position
	Column int    // in bytes, from 1
}

// String formats the position as "file:line:column".
func (p Position) String() string {
	if p.Line == 0 {
		if p.File == "" {
			return "-"
		}
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// IsValid reports whether p is a position.
func (p Position) IsValid() bool { return p.Line > 0 }

// File is one source text of a FileSet. The same file included twice is two Files.
type File struct {
	Name     string // as shown in messages
	Text     string
	Included Pos  // the #include of the file; NoPos for the main file
	Cut      bool // the text did not fit in the set and is truncated

	base       Pos
	lines      []int32         // offset of the first byte of each line
	directives []lineDirective // effects of #line, in order of offset
}

// lineDirective is the effect of one #line: the line that contains offset is reported as line of
// name.
type lineDirective struct {
	offset int32
	line   int32 // reported number of the line that contains offset
	name   string
}

// Pos returns the position of an offset in the text.
func (f *File) Pos(offset int) Pos { return f.base + Pos(offset) }

// Offset returns the offset of a position in the file.
func (f *File) Offset(p Pos) int { return int(p - f.base) }

// End returns the position just past the text.
func (f *File) End() Pos { return f.base + Pos(len(f.Text)) }

// Contains reports whether p is in the file or just past its text.
func (f *File) Contains(p Pos) bool { return p >= f.base && p <= f.End() }

// LineCount returns the number of lines; a text that ends in a newline has an empty last line.
func (f *File) LineCount() int { return len(f.lines) }

// LineAt returns the number, from 1, of the physical line that contains an offset.
func (f *File) LineAt(offset int) int {
	return sort.Search(len(f.lines), func(i int) bool { return int(f.lines[i]) > offset })
}

// LineStart returns the offset of the first byte of a physical line.
func (f *File) LineStart(line int) int { return int(f.lines[line-1]) }

// Line returns the text of a physical line, counted from 1, without its line ending.
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

// SetLine records a #line: the physical line that contains offset is reported as the given line of
// file name; an empty name keeps the current one. Calls must be in order of offset.
func (f *File) SetLine(offset, line int, name string) {
	if name == "" {
		name = f.Name
		if n := len(f.directives); n > 0 {
			name = f.directives[n-1].name
		}
	}
	f.directives = append(f.directives, lineDirective{int32(offset), int32(line), name})
}

// Position returns the position of an offset, adjusted by #line.
func (f *File) Position(offset int) Position {
	line := f.LineAt(offset)
	p := Position{f.Name, line, offset - int(f.lines[line-1]) + 1}
	if i := sort.Search(len(f.directives), func(i int) bool { return int(f.directives[i].offset) > offset }); i > 0 {
		m := f.directives[i-1]
		p.File, p.Line = m.name, int(m.line)+line-f.LineAt(int(m.offset))
	}
	return p
}

// Physical returns the position of an offset in the text itself, ignoring #line.
func (f *File) Physical(offset int) Position {
	line := f.LineAt(offset)
	return Position{f.Name, line, offset - int(f.lines[line-1]) + 1}
}

// MaxText is the maximum size of the source in a FileSet, in bytes.
const MaxText = 1 << 30

// FileSet holds the source texts and macro expansions of one compilation. The zero FileSet is ready
// to use. Only one goroutine may add to it; once complete, it is safe for concurrent reading.
type FileSet struct {
	start      Pos // the position before the first file
	files      []*File
	next       Pos // base of the next file
	expansions []Expansion
	expanded   []expandedToken
}

// NewFileSet returns an empty FileSet.
func NewFileSet() *FileSet { return new(FileSet) }

// NewLibrarySet returns an empty FileSet for the compiler's own library texts. Its positions do not
// occur in other sets.
func NewLibrarySet() *FileSet { return &FileSet{start: MaxText, next: MaxText} }

// InLibrary reports whether p is a position in a set made by NewLibrarySet.
func (p Pos) InLibrary() bool { return p > MaxText }

// Room returns how many more bytes of source fit in the set.
func (fs *FileSet) Room() int { return MaxText - int(fs.next-fs.start) - 2 }

// AddFile adds a source text. Text that exceeds Room is cut off, which sets the file's Cut.
func (fs *FileSet) AddFile(name, text string) *File { return fs.AddIncluded(name, text, NoPos) }

// AddIncluded adds a source text included at a position.
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

// Files returns the files in the order they were added.
func (fs *FileSet) Files() []*File { return fs.files }

// Size returns the total size of the files in bytes.
func (fs *FileSet) Size() (n int) {
	for _, f := range fs.files {
		n += len(f.Text)
	}
	return n
}

// File returns the file that contains a position; for a token from a macro, the position is
// resolved first. It returns nil for an invalid position.
func (fs *FileSet) File(p Pos) *File {
	p = fs.Resolve(p)
	i := sort.Search(len(fs.files), func(i int) bool { return fs.files[i].base > p })
	if p <= 0 || i == 0 || p.InLibrary() != (fs.start > 0) {
		return nil
	}
	return fs.files[i-1]
}

// Position returns a position in human terms. A token from a macro is resolved first.
func (fs *FileSet) Position(p Pos) Position {
	p = fs.Resolve(p)
	if f := fs.File(p); f != nil {
		return f.Position(f.Offset(p))
	}
	return Position{}
}
