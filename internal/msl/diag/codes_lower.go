package diag

// Codes of lowering and of limits.
const (
	Recursion     Code = "E2001"
	InlineSize    Code = "E2002"
	NoBody        Code = "E2003"
	Canceled      Code = "E2004"
	SourceSize    Code = "E2005"
	CompileBudget Code = "E2006"
	TileFlow      Code = "E2007"
	NotLowered    Code = "U0201"
)

var lowerCodes = []Info{
	{Recursion, "a function that calls itself, directly or through others"},
	{InlineSize, "an entry point that exceeds the limit after inlining"},
	{NoBody, "a call of a function that is declared but never defined"},
	{Canceled, "the compilation was canceled"},
	{SourceSize, "the program is longer than the limit"},
	{CompileBudget, "reading and checking the program needs more steps or memory than its length allows"},
	{TileFlow, "a tile of several simdgroups that only some threads of a threadgroup may use together"},
	{NotLowered, "a construct that the compiler understands but cannot compile yet"},
}
