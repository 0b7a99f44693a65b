package diag

// The codes of lowering stand here, as constants and in the table.
const (
	Recursion     Code = "E2001"
	InlineSize    Code = "E2002"
	NoBody        Code = "E2003"
	Canceled      Code = "E2004"
	SourceSize    Code = "E2005"
	CompileBudget Code = "E2006"
	NotLowered    Code = "U0201"
)

var lowerCodes = []Info{
	{Recursion, "a function calls itself, directly or through others"},
	{InlineSize, "an entry point grows beyond the limit when its calls are inlined"},
	{NoBody, "a function is called that is declared but never defined"},
	{Canceled, "the compilation was stopped from outside"},
	{SourceSize, "the program is longer than the compiler takes"},
	{CompileBudget, "reading and checking the program takes more steps or memory than its length allows"},
	{NotLowered, "a construct that the compiler understands but has no code for yet"},
}
