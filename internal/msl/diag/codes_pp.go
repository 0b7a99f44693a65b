package diag

// Codes of the preprocessor.
const (
	ErrorDirective Code = "E0201"
)

var ppCodes = []Info{
	{ErrorDirective, "an #error"},
}
