package shader

import "fmt"

// The domains of errors.
const (
	LibraryDomain        = "MTLLibraryErrorDomain"
	BinaryArchiveDomain  = "MTLBinaryArchiveDomain"
	DynamicLibraryDomain = "MTLDynamicLibraryDomain"
)

// Codes of errors in LibraryDomain: MTLLibraryError.
const (
	Unsupported      = 1
	Internal         = 2
	CompileFailure   = 3
	CompileWarning   = 4
	FunctionNotFound = 5
	FileNotFound     = 6
)

// Codes of errors in BinaryArchiveDomain: MTLBinaryArchiveError.
const (
	ArchiveInvalidFile        = 1
	ArchiveUnexpectedElement  = 2
	ArchiveCompilationFailure = 3
	ArchiveInternalError      = 4
)

// Codes of errors in DynamicLibraryDomain: MTLDynamicLibraryError.
const (
	DynamicInvalidFile = 1
	DynamicUnsupported = 5
)

// Error is what becomes an NSError.
type Error struct {
	Domain string
	Code   int
	Text   string // its localizedDescription
}

// Error returns the text with domain and code.
func (e *Error) Error() string { return fmt.Sprintf("%s (%s %d)", e.Text, e.Domain, e.Code) }

// failf makes an error in LibraryDomain.
func failf(code int, format string, args ...any) *Error {
	return &Error{LibraryDomain, code, fmt.Sprintf(format, args...)}
}

// archivef makes an error in BinaryArchiveDomain.
func archivef(code int, format string, args ...any) *Error {
	return &Error{BinaryArchiveDomain, code, fmt.Sprintf(format, args...)}
}
