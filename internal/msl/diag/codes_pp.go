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
	{ErrorDirective, "an #error directive in code that is not skipped"},
	{WarningDirective, "a #warning directive in code that is not skipped"},
	{UnknownDirective, "an unknown preprocessor directive"},
	{ExtraTokens, "extra tokens after a directive"},
	{MalformedDirective, "a directive with missing or wrong operands"},
	{UnterminatedIf, "an #if, #ifdef or #ifndef without an #endif in the same file"},
	{UnbalancedIf, "an #elif, #else or #endif without an #if, or after the #else"},
	{BadCondition, "the expression of an #if or #elif is not an integer constant expression"},
	{ConditionDivZero, "the expression of an #if or #elif divides by zero"},
	{HeaderNotFound, "an #include of a file that does not exist"},
	{IncludeDepth, "includes nested deeper than the limit; usually a file that includes itself"},
	{IncludeTooLarge, "all included files together are larger than the limit"},
	{MalformedMacro, "a #define with malformed parameters or body"},
	{ReservedMacro, "a #define or #undef of a name reserved by the preprocessor"},
	{MacroRedefined, "a macro redefined differently"},
	{MacroArguments, "a macro called with too many or too few arguments"},
	{UnterminatedInvocation, "the arguments of a macro have no closing parenthesis"},
	{BadPaste, "## does not form a valid token"},
	{ExpansionTooLarge, "macro expansion produces more tokens than the limit"},
	{ExpansionDepth, "macro expansions nested deeper than the limit"},
	{MisplacedVariadic, "__VA_ARGS__ or __VA_OPT__ outside a macro with '...'"},
	{BadPragma, "a malformed #pragma or _Pragma"},
	{UnknownMetalHeader, "an #include of an unknown header with a name like one of Metal's; it is treated as empty"},
	{NestedTooDeeply, "conditionals, or parentheses in the expression of an #if, nested deeper than the limit"},
	{SourceTooLarge, "the source is larger than the limit"},
}
