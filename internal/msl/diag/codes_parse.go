package diag

// Codes of the parser.
const (
	ExpectedToken       Code = "E0301"
	ExpectedExpression  Code = "E0302"
	ExpectedType        Code = "E0303"
	ExpectedName        Code = "E0304"
	ExpectedDeclaration Code = "E0305"
	ExpectedStatement   Code = "E0306"
	UnmatchedBracket    Code = "E0307"
	NestingTooDeep      Code = "E0308"
	ChainTooLong        Code = "E0309"
	NotInMSL            Code = "E0310"
	ConflictingSpecs    Code = "E0311"
	MisplacedSpec       Code = "E0312"
	MissingTypename     Code = "E0313"
	AngleEquals         Code = "E0314"
	BadDeclarator       Code = "E0315"
	BadInitializer      Code = "E0316"
	BadFold             Code = "E0317"
	BadTemplate         Code = "E0318"
	DeclaresNothing     Code = "E0319"
	BadFunctionBody     Code = "E0320"
	BadLambda           Code = "E0321"
)

var parseCodes = []Info{
	{ExpectedToken, "a punctuation mark or keyword is missing"},
	{ExpectedExpression, "an expression is missing"},
	{ExpectedType, "a type is missing"},
	{ExpectedName, "a name is missing"},
	{ExpectedDeclaration, "a declaration was expected"},
	{ExpectedStatement, "a statement was expected"},
	{UnmatchedBracket, "an unmatched bracket"},
	{NestingTooDeep, "brackets, statements, declarators or operators nested deeper than the limit"},
	{ChainTooLong, "a longer sequence of operators, else-ifs or parts of a name than the limit"},
	{NotInMSL, "a C++ construct that the Metal Shading Language does not have"},
	{ConflictingSpecs, "conflicting or duplicate specifiers in a declaration"},
	{MisplacedSpec, "a specifier that is not allowed here"},
	{MissingTypename, "a dependent type named without typename"},
	{AngleEquals, "the > that closes template arguments needs a space before ="},
	{BadDeclarator, "a declarator that forms an invalid type"},
	{BadInitializer, "an initializer that is not allowed here"},
	{BadFold, "the operand of a fold expression is not in parentheses, or its two operators differ"},
	{BadTemplate, "a template or explicit instantiation of something that cannot be one, or where none is allowed"},
	{DeclaresNothing, "a declaration with a type but without a name"},
	{BadFunctionBody, "a function body, constructor initializer or = default that is not allowed here"},
	{BadLambda, "a lambda's captures are malformed"},
}
