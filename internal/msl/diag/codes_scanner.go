package diag

// Codes of the scanner.
const (
	StrayCharacter      Code = "E0101"
	UnterminatedComment Code = "E0102"
	UnterminatedString  Code = "E0103"
	UnterminatedChar    Code = "E0104"
	EmptyChar           Code = "E0105"
	BadNumber           Code = "E0106"
	BadEscape           Code = "E0107"
	InvalidUTF8         Code = "E0108"
	NulCharacter        Code = "E0109"
	UnterminatedRaw     Code = "E0110"
	NumberTooLarge      Code = "E0111"
)

var scannerCodes = []Info{
	{StrayCharacter, "a character that cannot begin a token"},
	{UnterminatedComment, "an unterminated /* comment"},
	{UnterminatedString, "a string without a closing quote on its line"},
	{UnterminatedChar, "a character constant without a closing quote on its line"},
	{EmptyChar, "an empty character constant"},
	{BadNumber, "a malformed number: invalid digits, prefix or suffix"},
	{BadEscape, "an unknown escape sequence"},
	{InvalidUTF8, "bytes outside strings and comments that are not UTF-8"},
	{NulCharacter, "a NUL byte in the text"},
	{UnterminatedRaw, "an unterminated raw string, or one with a malformed beginning"},
	{NumberTooLarge, "an integer constant too large for every type"},
}
