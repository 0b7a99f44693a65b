package diag

// Codes of the preprocessor.
const (
	ErrorDirective         Code = "E0201"
	WarningDirective       Code = "E0202"
	UnknownDirective       Code = "E0203"
	ExtraTokens            Code = "E0204"
	MalformedDirective     Code = "E0205"
	UnterminatedIf         Code = "E0206"
	UnbalancedIf           Code = "E0207"
	BadCondition           Code = "E0208"
	ConditionDivZero       Code = "E0209"
	HeaderNotFound         Code = "E0210"
	IncludeDepth           Code = "E0211"
	IncludeTooLarge        Code = "E0212"
	MalformedMacro         Code = "E0213"
	ReservedMacro          Code = "E0214"
	MacroRedefined         Code = "E0215"
	MacroArguments         Code = "E0216"
	UnterminatedInvocation Code = "E0217"
	BadPaste               Code = "E0218"
	ExpansionTooLarge      Code = "E0219"
	ExpansionDepth         Code = "E0220"
	MisplacedVariadic      Code = "E0221"
	BadPragma              Code = "E0222"
	UnknownMetalHeader     Code = "E0223"
	NestedTooDeeply        Code = "E0224"
	SourceTooLarge         Code = "E0225"
)

var ppCodes = []Info{
	{ErrorDirective, "an #error in a part of the text that is not skipped"},
	{WarningDirective, "a #warning in a part of the text that is not skipped"},
	{UnknownDirective, "a # at the beginning of a line with a word behind it that is no directive"},
	{ExtraTokens, "something stands on the line behind a complete directive"},
	{MalformedDirective, "a directive without what it needs, or with something else in its place"},
	{UnterminatedIf, "an #if, #ifdef or #ifndef without its #endif in the same file"},
	{UnbalancedIf, "an #elif, #else or #endif without its #if, or behind the #else"},
	{BadCondition, "the expression of an #if or #elif is no integer constant expression"},
	{ConditionDivZero, "the expression of an #if or #elif divides by zero"},
	{HeaderNotFound, "an #include of a file that is not there"},
	{IncludeDepth, "files include one another more deeply than the limit; mostly a file that includes itself"},
	{IncludeTooLarge, "all included files together are larger than the limit"},
	{MalformedMacro, "a #define whose parameters or body are not well formed"},
	{ReservedMacro, "a #define or #undef of a name that belongs to the preprocessor"},
	{MacroRedefined, "a macro is defined again, with another meaning"},
	{MacroArguments, "a macro is used with too many or too few arguments"},
	{UnterminatedInvocation, "the arguments of a macro have no closing parenthesis"},
	{BadPaste, "## makes something that is no token"},
	{ExpansionTooLarge, "macros bring more tokens than the limit"},
	{ExpansionDepth, "macros expand within one another more deeply than the limit"},
	{MisplacedVariadic, "__VA_ARGS__ or __VA_OPT__ outside a macro with '...'"},
	{BadPragma, "a #pragma or _Pragma of a form that it does not have"},
	{UnknownMetalHeader, "an #include of a header that is named like one of Metal's but is not known; it counts as empty"},
	{NestedTooDeeply, "conditionals, or parentheses in the expression of an #if, are nested more deeply than the limit"},
	{SourceTooLarge, "the source is larger than the compiler takes"},
}
