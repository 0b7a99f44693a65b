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
	{StrayCharacter, "a character that begins no token"},
	{UnterminatedComment, "a /* comment without its */"},
	{UnterminatedString, "a string without its closing quote on the same line"},
	{UnterminatedChar, "a character constant without its closing quote on the same line"},
	{EmptyChar, "a character constant without a character"},
	{BadNumber, "digits, prefix or suffix that make no number"},
	{BadEscape, "a backslash with what is no escape sequence behind it"},
	{InvalidUTF8, "bytes outside strings and comments that are not UTF-8"},
	{NulCharacter, "a NUL byte in the text"},
	{UnterminatedRaw, "a raw string without its end, or with a malformed beginning"},
	{NumberTooLarge, "an integer that fits no type"},
}
